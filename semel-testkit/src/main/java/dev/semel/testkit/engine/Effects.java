package dev.semel.testkit.engine;

import dev.semel.Semel;
import dev.semel.store.Store;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.testkit.memory.MemoryTable;

/** The application's data in a test: counts how often something took effect, in the transaction that it took effect in. */
public interface Effects {
    void apply(Semel.Transaction tx, String name) throws Exception;

    long count(String name) throws Exception;

    /** In a {@link MemoryTable}. */
    static Effects inMemory(Store store) {
        return new Effects() {
            @Override
            public void apply(Semel.Transaction tx, String name) {
                MemoryTable table = tx.unwrap(MemoryTable.class);
                String before = table.get(name);
                table.put(name, String.valueOf(before == null ? 1 : Long.parseLong(before) + 1));
            }

            @Override
            public long count(String name) {
                return Long.parseLong(((MemoryStore) store).table().getOrDefault(name, "0"));
            }
        };
    }
}
