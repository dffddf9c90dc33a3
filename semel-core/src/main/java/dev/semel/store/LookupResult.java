package dev.semel.store;

/** What a direct atomic call finds when it looks for its record. */
public sealed interface LookupResult {
    /** Nobody has it, and nobody else can take it until this transaction ends. */
    record Free() implements LookupResult {}

    /** Another transaction holds it at this moment, and there is no answer stored. */
    record Locked() implements LookupResult {}

    /**
     * It is there; if it may be run, it is locked by this transaction. Never an expired one. What may not be run is found
     * whoever holds the lock, so that an answer that is stored does not wait for anybody.
     *
     * @param now the store's clock
     */
    record Found(Row row, long now) implements LookupResult {}

    /** It may be run, but the modes are not those of the version given. */
    record ModesChanged() implements LookupResult {}
}
