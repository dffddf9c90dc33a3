package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Tenant;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Records that are removed after their retention, and those that never are. */
abstract class PurgeSuite extends ContractSuite {
    private static final Function<Map<String, Integer>, List<AuditEntry>> SILENT = counts -> List.of();
    private static final int PURGED = 12;

    PurgeSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void finishedRecordIsRemovedAtTheEndOfItsRetentionAndNotBefore() {
        for (State state : State.values()) {
            if (state.finished()) {
                put(state.name(), state, 1_000, 0);
            }
        }
        pass(999);
        assertThat(ledger.purge(100, SILENT)).isEmpty();
        pass(1);
        assertThat(ledger.purge(100, SILENT)).isEqualTo(Map.of(ReservationBuilder.TENANT, 4));
        for (State state : State.values()) {
            assertThat(exists(state.name())).isFalse();
        }
    }

    @Test
    void a9_liveRecordIsNeverPurgedHoweverLongItIsOverdue() {
        for (State state : List.of(State.QUEUED, State.IN_PROGRESS, State.UNKNOWN, State.FAILED_RETRYABLE)) {
            put(state.name(), state, 0, 0);
        }
        put("kept for ever", State.COMPLETED, dev.semel.store.Status.NEVER, 0);
        pass(1_000_000_000_000L);
        assertThat(ledger.purge(100, SILENT)).isEmpty();
        for (State state : List.of(State.QUEUED, State.IN_PROGRESS, State.UNKNOWN, State.FAILED_RETRYABLE)) {
            assertThat(status(state.name()).state()).isEqualTo(state);
        }
        assertThat(exists("kept for ever")).isTrue();
    }

    @Test
    void directFailureIsKeptForItsTimeBeyondTheMomentItWasDue() {
        put("k", State.FAILED_RETRYABLE, 1_000, 500);
        pass(1_499);
        assertThat(ledger.purge(100, SILENT)).isEmpty();
        assertThat(exists("k")).isTrue();
        pass(1);
        assertThat(ledger.purge(100, SILENT)).isEqualTo(Map.of(ReservationBuilder.TENANT, 1));
        assertThat(exists("k")).isFalse();
    }

    @Test
    void onlySoManyAreRemovedAtATimeAndInTheEndNothingIsLeft() {
        for (int i = 0; i < 5; i++) {
            put("k" + i, State.COMPLETED, 0, 0);
        }
        List<Integer> chunks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            chunks.add(ledger.purge(2, SILENT).getOrDefault(ReservationBuilder.TENANT, 0));
        }
        assertThat(chunks).containsExactly(2, 2, 1, 0, 0);
    }

    @Test
    void failuresAndFinishedRecordsTogetherStayWithinTheLimit() {
        for (int i = 0; i < 3; i++) {
            put("done" + i, State.COMPLETED, 0, 0);
            put("failed" + i, State.FAILED_RETRYABLE, 0, 1);
        }
        pass(1);
        int removed = 0;
        for (int i = 0; i < 10; i++) {
            int chunk = ledger.purge(2, SILENT).getOrDefault(ReservationBuilder.TENANT, 0);
            assertThat(chunk).isLessThanOrEqualTo(2);
            removed += chunk;
        }
        assertThat(removed).isEqualTo(6);
    }

    @Test
    void stepsGoWithTheirParentAndNotBefore() {
        long fence = grant("parent").fence();
        long step = grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence))
                .fence();
        apply(MoveBuilder.of(ReservationBuilder.id("step"), step, State.COMPLETED));
        pass(1_000_000);
        ledger.purge(100, SILENT);
        assertThat(exists("step")).isTrue();
        apply(MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.COMPLETED)
                .in(0));
        ledger.purge(100, SILENT);
        assertThat(exists("parent")).isFalse();
        assertThat(exists("step")).isFalse();
    }

    @Test
    void eventsAreMadeOfTheCountForEachTenantAndWrittenWithTheRemoval() {
        for (String tenant : List.of("one", "two", "two")) {
            var ask = ReservationBuilder.of("k" + tenant + now()).of(Tenant.of(tenant));
            long fence = grant(ask).fence();
            apply(MoveBuilder.of(ask.identity().id(), fence, State.COMPLETED).in(0));
            pass(1);
        }
        Map<String, Integer> removed = ledger.purge(100, PurgeSuite::told);
        assertThat(removed).isEqualTo(Map.of("one", 1, "two", 2));
        assertThat(audit.newest(AuditFilter.ofType(PURGED), 10))
                .extracting(row -> row.entry().subject().tenant() + row.entry().body())
                .containsExactlyInAnyOrder("one{\"n\":1}", "two{\"n\":2}");
    }

    @Test
    void emptyPurgeWritesNoEvent() {
        grant("k");
        assertThat(ledger.purge(100, PurgeSuite::told)).isEmpty();
        assertThat(audit.newest(AuditFilter.ALL, 10)).isEmpty();
    }

    @Test
    void nothingIsPurgedIfItsEventCannotBeWritten() {
        put("k", State.COMPLETED, 0, 0);
        assertThatThrownBy(() -> ledger.purge(100, counts -> {
                    throw new IllegalStateException("no event");
                }))
                .hasStackTraceContaining("no event");
        assertThat(exists("k")).isTrue();
        assertThat(ledger.purge(100, SILENT)).isEqualTo(Map.of(ReservationBuilder.TENANT, 1));
    }

    private static List<AuditEntry> told(Map<String, Integer> counts) {
        List<AuditEntry> events = new ArrayList<>();
        new TreeMap<>(counts)
                .forEach((tenant, count) -> events.add(new AuditEntry(
                        PURGED,
                        new AuditEntry.Subject(tenant, null, null, null, null),
                        null,
                        0,
                        0,
                        "{\"n\":" + count + "}")));
        return events;
    }
}
