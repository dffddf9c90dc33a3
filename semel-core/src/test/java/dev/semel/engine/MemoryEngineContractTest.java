package dev.semel.engine;

import dev.semel.store.Store;
import dev.semel.testkit.engine.Effects;
import dev.semel.testkit.engine.EngineContract;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;

class MemoryEngineContractTest extends EngineContract {
    @Override
    protected Store open(TimeSource time) {
        return new MemoryStore(time);
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return first;
    }

    @Override
    protected Effects effects(Store store) {
        return Effects.inMemory(store);
    }

    @Override
    protected boolean strikesEverywhere() {
        return true;
    }
}
