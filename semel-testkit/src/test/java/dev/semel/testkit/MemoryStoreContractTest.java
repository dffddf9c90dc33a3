package dev.semel.testkit;

import dev.semel.store.Store;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;

class MemoryStoreContractTest extends StoreContract {
    @Override
    protected Store open(TimeSource time) {
        return new MemoryStore(time);
    }
}
