package dev.semel.testkit.engine;

import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;

/** The engine sees no difference between a store and a faulty one without faults. */
class FaultyStoreEngineContractTest extends EngineContract {
    private MemoryStore memory;

    @Override
    protected Store open(TimeSource time) {
        memory = new MemoryStore(time);
        return new FaultyStore(memory, Faults.none());
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return first;
    }

    @Override
    protected Effects effects(Store store) {
        return Effects.inMemory(memory);
    }
}
