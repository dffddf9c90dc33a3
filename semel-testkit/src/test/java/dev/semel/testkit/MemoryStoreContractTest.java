package dev.semel.testkit;

import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;

class MemoryStoreContractTest extends StoreContract {
    @Override
    protected Store open(TimeSource time) {
        return new MemoryStore(time);
    }
}
