package dev.semel.cli;

/** Makes the payments of the demo; several callers may request the same payment concurrently. Thread-safe. */
interface DemoShop extends AutoCloseable {
    DemoAnswer pay(int number) throws InterruptedException;

    @Override
    void close();

    /** The other service. It makes one transfer for each key. */
    interface Bank {
        /** @param attempt from 1; more than 1 for a run that was taken over */
        void transfer(String key, int number, int attempt) throws InterruptedException;
    }
}
