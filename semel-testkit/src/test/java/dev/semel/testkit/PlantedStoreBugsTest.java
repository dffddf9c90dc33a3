package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import dev.semel.store.Store;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The contract is worth something only if a store with a bug fails it. */
class PlantedStoreBugsTest {
    private static StoreBug planted;

    @AfterEach
    void clear() {
        planted = null;
    }

    @ParameterizedTest
    @EnumSource
    void storeWithABugFailsTheContract(StoreBug bug) {
        planted = bug;
        var listener = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectNestedClass(List.of(Buggy.class), bug.suite()))
                .build();
        LauncherFactory.create().execute(request, listener);
        assertThat(listener.getSummary().getFailures())
                .extracting(failure -> failure.getTestIdentifier().getDisplayName())
                .contains(bug.test() + "()");
    }

    /** Sound while nothing is planted, in case a runner finds it by itself. */
    static class Buggy extends StoreContract {
        @Override
        protected Store open(TimeSource time) {
            return planted == null ? new MemoryStore(time) : new PlantedStore(planted, time);
        }
    }
}
