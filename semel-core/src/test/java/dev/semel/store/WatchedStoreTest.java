package dev.semel.store;

import dev.semel.testkit.StoreContract;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/** A store that is watched is the same store. */
class WatchedStoreTest extends StoreContract {
    @Override
    protected Store open(TimeSource time) {
        return WatchedStore.of(new MemoryStore(time), MicrometerWatch.of(new SimpleMeterRegistry()), time);
    }
}
