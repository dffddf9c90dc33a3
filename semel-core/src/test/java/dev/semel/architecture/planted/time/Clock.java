package dev.semel.architecture.planted.time;

import java.util.concurrent.CountDownLatch;

final class Clock {
    long allowed() throws InterruptedException {
        new CountDownLatch(0).await();
        new Thread(() -> {}).join();
        Thread.sleep(0);
        return System.nanoTime();
    }
}
