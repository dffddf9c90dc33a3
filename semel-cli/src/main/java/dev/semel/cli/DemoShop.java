package dev.semel.cli;

/** Makes the payments of the demonstration, for callers who may ask for the same one at the same time. Thread-safe. */
interface DemoShop extends AutoCloseable {
    DemoAnswer pay(int number) throws InterruptedException;

    @Override
    void close();

    /** The other service. It makes a transfer once for each key that it is given. */
    interface Bank {
        /** @param attempt from 1; beyond that it is a run that was taken over */
        void transfer(String key, int number, int attempt) throws InterruptedException;
    }
}
