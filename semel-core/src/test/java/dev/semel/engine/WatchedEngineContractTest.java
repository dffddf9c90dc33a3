package dev.semel.engine;

import dev.semel.store.Store;
import dev.semel.store.WatchedStore;
import dev.semel.testkit.engine.Effects;
import dev.semel.testkit.engine.EngineContract;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** An engine on a store that is watched keeps all promises. */
class WatchedEngineContractTest extends EngineContract {
    private MemoryStore watched = new MemoryStore(new ManualTime(0));

    @Override
    protected Store open(TimeSource time) {
        watched = new MemoryStore(time);
        return WatchedStore.of(watched, MicrometerWatch.of(new SimpleMeterRegistry()), time);
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return first;
    }

    @Override
    protected Effects effects(Store store) {
        return Effects.inMemory(watched);
    }
}
