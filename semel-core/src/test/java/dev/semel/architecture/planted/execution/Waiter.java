package dev.semel.architecture.planted.execution;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;

final class Waiter {
    synchronized void monitor() throws InterruptedException {
        wait();
    }

    void latch(CountDownLatch latch) throws InterruptedException {
        latch.await();
    }

    void condition(Condition condition) throws InterruptedException {
        condition.await();
    }

    void semaphore(Semaphore semaphore) throws InterruptedException {
        semaphore.acquire();
    }

    void queue(BlockingQueue<Object> queue) throws InterruptedException {
        queue.take();
    }

    void future(Future<Object> future) throws Exception {
        future.get();
    }

    void join(CompletableFuture<Object> future) {
        future.join();
    }

    void thread(Thread thread) throws InterruptedException {
        thread.join();
    }

    void allowed(CountDownLatch latch) {
        latch.countDown();
    }
}
