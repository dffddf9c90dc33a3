package dev.semel.server.session;

import java.util.Base64;
import java.util.random.RandomGenerator;

/** Secrets of 256 bits that cannot be guessed. */
final class RandomSecret {
    private static final int BYTES = 32;

    private RandomSecret() {}

    /** @param prefix tells people, and programs that look for leaked secrets, what it is */
    static String make(String prefix, RandomGenerator random) {
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
