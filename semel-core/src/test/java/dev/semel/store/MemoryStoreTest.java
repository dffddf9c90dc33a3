package dev.semel.store;

import dev.semel.testkit.StoreContract;
import dev.semel.time.TimeSource;

class MemoryStoreTest extends StoreContract {
    @Override
    protected Store open(TimeSource time) {
        return new MemoryStore(time);
    }
}
