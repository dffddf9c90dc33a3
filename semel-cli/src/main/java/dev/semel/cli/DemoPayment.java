package dev.semel.cli;

/**
 * One payment of the demo. Most are rows in a table of the ledger's database; every fifth is a transfer through another service.
 */
record DemoPayment(int number, int cents) {
    static DemoPayment of(int number) {
        return new DemoPayment(number, 100 + number * 37 % 9_900);
    }

    /** Whether another service makes it, outside the ledger's transaction. */
    static boolean isTransfer(int number) {
        return number % 5 == 0;
    }
}
