package dev.semel.store;

/** What a direct atomic call finds when it looks for its record. */
public sealed interface Opening {
    /** Nobody has it, and nobody else can take it until this transaction ends. */
    record Free() implements Opening {}

    /** Another transaction holds it at this moment. */
    record Locked() implements Opening {}

    /**
     * It is there, and locked by this transaction. Never an expired one.
     *
     * @param now the store's clock
     */
    record Found(Row row, long now) implements Opening {}

    /** The modes are not those of the version given. */
    record ModesChanged() implements Opening {}
}
