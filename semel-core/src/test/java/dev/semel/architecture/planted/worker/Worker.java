package dev.semel.architecture.planted.worker;

final class Worker extends Thread {
    void allowed() throws InterruptedException {
        start();
        join();
    }
}
