package dev.semel.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How fast channels are handled, as the history tells. */
class HandledRatesTest {
    private static final long START = 1_800_000_000_000L;
    private static final long STEP = ActivityStep.SECONDS.millis();

    private final ManualTime time = new ManualTime(START);
    private final MemoryStore store = new MemoryStore(time);
    private final HandledRates rates = new HandledRates(store, time);

    private void write(long began, String tenant, String counts) {
        store.activity()
                .orElseThrow()
                .write(List.of(
                        new ActivityRow(ActivityStep.SECONDS, began, tenant, "mail", 1, ActivityCounts.parse(counts))));
    }

    @Test
    void everythingThatEndedInTheLastMinutesCounts() {
        write(START - 2 * STEP, "", "executed 7 dead_letters 2 became_unknown 1 retries 50 accepted 80");
        write(START - 290_000, "", "executed 5");
        write(START - 310_000, "", "executed 1000");
        write(START, "", "executed 1000");
        assertThat(rates.perMinute(null)).isEqualTo(Map.of("mail", 3.0));
    }

    @Test
    void h4_tenantHasARateOfItsOwn() {
        write(START - STEP, "", "executed 10");
        write(START - STEP, "acme", "executed 5");
        assertThat(rates.perMinute("acme")).isEqualTo(Map.of("mail", 1.0));
        assertThat(rates.perMinute("globex")).isEmpty();
    }

    @Test
    void historyIsReadOnceHoweverManyAsk() {
        assertThat(rates.perMinute(null)).isEmpty();
        write(START - STEP, "", "executed 10");
        assertThat(rates.perMinute(null)).isEmpty();
        time.advance(Overviews.FRESH);
        assertThat(rates.perMinute(null)).isEqualTo(Map.of("mail", 2.0));
    }

    @Test
    void storeWithoutHistoryTellsNoRates() {
        Store without = new ForwardingStore(store) {
            @Override
            public Optional<ActivityLog> activity() {
                return Optional.empty();
            }
        };
        assertThat(new HandledRates(without, time).perMinute(null)).isEmpty();
    }
}
