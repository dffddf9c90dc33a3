package dev.semel.bench;

/**
 * One thing to measure.
 *
 * @param batch operations of one call
 * @param atMost operations of one round, which bounds what a round leaves behind
 * @param before done ahead of each round, untimed
 */
record Cell(String name, int callers, int batch, long atMost, Body before, Body body) {
    /** @see Cell#body */
    @FunctionalInterface
    interface Body {
        /** @param caller from 0 */
        void call(int caller) throws Exception;
    }

    static Cell of(String name, int callers, Body body) {
        return new Cell(name, callers, 1, Long.MAX_VALUE, caller -> {}, body);
    }

    Cell inBatchesOf(int operations) {
        return new Cell(name, callers, operations, atMost, before, body);
    }

    Cell limited(long operations) {
        return new Cell(name, callers, batch, operations, before, body);
    }

    Cell preparedBy(Body preparation) {
        return new Cell(name, callers, batch, atMost, preparation, body);
    }
}
