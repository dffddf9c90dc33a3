package dev.semel.architecture.planted.execution;

import java.security.SecureRandom;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

final class Dice {
    double math() {
        return Math.random();
    }

    UUID uuid() {
        return UUID.randomUUID();
    }

    int threadLocal() {
        return ThreadLocalRandom.current().nextInt();
    }

    Random seeded() {
        return new Random(1);
    }

    Random secure() {
        return new SecureRandom();
    }

    RandomGenerator generator() {
        return RandomGenerator.getDefault();
    }

    void shuffle(List<?> list) {
        Collections.shuffle(list);
    }

    long allowed(RandomGenerator handedIn) {
        return handedIn.nextLong();
    }
}
