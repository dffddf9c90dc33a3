package dev.semel.architecture.planted.execution;

import java.util.List;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

final class Threads {
    Thread thread() {
        return new Thread(() -> {});
    }

    ExecutorService executor() {
        return Executors.newSingleThreadExecutor();
    }

    ExecutorService pool() {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    ExecutorService common() {
        return ForkJoinPool.commonPool();
    }

    CompletableFuture<Void> async() {
        return CompletableFuture.runAsync(() -> {});
    }

    long parallel() {
        return List.of(1).parallelStream().count();
    }

    Timer timer() {
        return new Timer();
    }

    Thread allowed() {
        return Thread.currentThread();
    }
}
