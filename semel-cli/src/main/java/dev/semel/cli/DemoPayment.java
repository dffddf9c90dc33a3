package dev.semel.cli;

/**
 * One payment of the demonstration. Most are rows in a table of the ledger's own database; every fifth is a transfer through
 * another service.
 */
record DemoPayment(int number, int cents) {
    static DemoPayment of(int number) {
        return new DemoPayment(number, 100 + number * 37 % 9_900);
    }

    /** Whether it is made by another service, which the ledger's transaction cannot reach. */
    static boolean isTransfer(int number) {
        return number % 5 == 0;
    }
}
