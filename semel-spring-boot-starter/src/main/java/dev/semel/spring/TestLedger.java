package dev.semel.spring;

/** For test support only: what is different about the ledger of a test. An application has no such bean. */
public interface TestLedger {
    /**
     * Whether the calling thread is in a transaction that a test began and will roll back. Atomic operations and requests at the
     * levels SPAN and MARKER then take part in it, under a savepoint, and are rolled back with it.
     */
    boolean isInTestTransaction();

    /**
     * Whether the ledger is in memory because the context has no data source. Then all requests run at the level PLAIN, and atomic
     * methods are not required to have a data source.
     */
    boolean isInMemory();

    /** Of an application: no test. */
    TestLedger NONE = new TestLedger() {
        @Override
        public boolean isInTestTransaction() {
            return false;
        }

        @Override
        public boolean isInMemory() {
            return false;
        }
    };
}
