package dev.semel.testkit.memory;

import org.jspecify.annotations.Nullable;

/**
 * The application's data inside a {@link MemoryStore}: a map that commits together with the ledger. An atomic handler on the
 * in-memory store gets it by {@code tx.unwrap(MemoryTable.class)}.
 */
public interface MemoryTable {
    /** The value as this transaction sees it. */
    @Nullable
    String get(String key);

    void put(String key, String value);
}
