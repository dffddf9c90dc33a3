package dev.semel.architecture.planted.execution;

import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

final class Clock {
    long wall() {
        return System.currentTimeMillis();
    }

    long monotonic() {
        return System.nanoTime();
    }

    Instant instant() {
        return Instant.now();
    }

    Supplier<Instant> reference() {
        return Instant::now;
    }

    LocalDateTime local() {
        return LocalDateTime.now();
    }

    java.time.Clock clock() {
        return java.time.Clock.systemUTC();
    }

    Date date() {
        return new Date();
    }

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }

    void unit() throws InterruptedException {
        TimeUnit.SECONDS.sleep(1);
    }

    void park() {
        LockSupport.parkNanos(1);
    }

    Instant allowed() {
        return Instant.EPOCH.plusMillis(1);
    }
}
