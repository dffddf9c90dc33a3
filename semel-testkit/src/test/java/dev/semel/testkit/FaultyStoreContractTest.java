package dev.semel.testkit;

import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;

/** Without faults a faulty store is the store. */
class FaultyStoreContractTest extends StoreContract {
    @Override
    protected Store open(TimeSource time) {
        return new FaultyStore(new MemoryStore(time), Faults.none());
    }
}
