package dev.semel.store;

/** The result of a direct atomic call's lookup of its record. */
public sealed interface LookupResult {
    /** The record is free, and locked by this transaction until it ends. */
    record Free() implements LookupResult {}

    /** Another transaction holds it at this moment, and there is no answer stored. */
    record Locked() implements LookupResult {}

    /**
     * It is there; if it may be run, it is locked by this transaction. Never an expired one. A record that may not be
     * run is found even if another transaction holds the lock, so that a stored answer waits for nobody.
     *
     * @param now the store's clock
     */
    record Found(Row row, long now) implements LookupResult {}

    /** It may be run, but the modes are not those of the version given. */
    record ModesChanged() implements LookupResult {}
}
