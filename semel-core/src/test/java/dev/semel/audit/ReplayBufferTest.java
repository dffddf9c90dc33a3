package dev.semel.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call.Origin;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.Header;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplayBufferTest {
    private final ManualTime time = new ManualTime(1_000_000);
    private final AuditLog log = new MemoryStore(time).audit();
    private final Events events = new Events(true);

    private static Events.About about(String key) {
        RecordId id = Identity.of(Tenant.of("acme"), "charge", Key.of(key)).id();
        Header header = new Header("acme", "charge", key, Fingerprint.of(new byte[35]), "c", null);
        return Events.About.record(id, header, Origin.UNSTATED, "RETRY_DEFAULT");
    }

    private List<AuditEvent> written() {
        return log.newest(AuditFilter.ALL, 20_000).stream().map(AuditEvent::new).toList();
    }

    @Test
    void replaysOfOneRecordInOneSecondAreOneEventWithACount() {
        ReplayBuffer buffer = new ReplayBuffer(log, events, time, true);
        for (int i = 0; i < 5; i++) {
            buffer.count(EventType.OPERATION_REPLAYED, about("k"), null);
        }
        buffer.count(EventType.OPERATION_CONFLICT, about("k"), null);
        buffer.flush(false);
        assertThat(written()).isEmpty();
        time.advance(Duration.ofSeconds(1));
        buffer.flush(false);
        assertThat(written()).extracting(AuditEvent::type).contains("operation.replayed", "operation.conflict");
        assertThat(written())
                .filteredOn(event -> event.type().equals("operation.replayed"))
                .allSatisfy(event -> assertThat(event.fields()).containsEntry("count", 5L));
    }

    /** One number in ten is a valid number of a card, by its last digit. */
    @Test
    void referenceToTheFirstEventIsNeverMasked() {
        long epoch = 1L << 48;
        RecordId record = about("k").subject().record();
        for (long fence = epoch; fence < epoch + 100; fence++) {
            AuditEntry replay = events.repeated(
                    EventType.OPERATION_REPLAYED, about("k"), new FirstRun(fence, "4111111111111111"), 1);
            assertThat(replay.body())
                    .contains("\"first_event\":\"" + FirstRun.ref(record, fence) + "\"")
                    .contains("\"first_request_id\":\"4111111111111111\"");
        }
    }

    @Test
    void eventsThatCannotBeWrittenAreKeptForTheNextTime() {
        boolean[] away = {true};
        AuditLog flaky = new ForwardingAuditLog(log) {
            @Override
            public void append(List<AuditEntry> entries) {
                if (away[0]) {
                    throw new SemelException.StoreUnavailable("away");
                }
                super.append(entries);
            }
        };
        ReplayBuffer buffer = new ReplayBuffer(flaky, events, time, true);
        buffer.count(EventType.OPERATION_REPLAYED, about("k"), null);
        assertThatThrownBy(() -> buffer.flush(true)).isInstanceOf(SemelException.StoreUnavailable.class);
        buffer.count(EventType.OPERATION_REPLAYED, about("k"), null);
        away[0] = false;
        buffer.flush(true);
        assertThat(written())
                .singleElement()
                .satisfies(event -> assertThat(event.fields()).containsEntry("count", 2L));
    }

    @Test
    void fullBufferLosesDetailAndNeverACount() {
        ReplayBuffer buffer = new ReplayBuffer(log, events, time, true);
        for (int i = 0; i < 10_050; i++) {
            buffer.count(EventType.OPERATION_REPLAYED, about("k" + i), null);
        }
        buffer.flush(true);
        assertThat(written().stream()
                        .mapToLong(event -> (long) event.fields().get("count"))
                        .sum())
                .isEqualTo(10_050);
        assertThat(written()).hasSize(10_001);
    }

    @Test
    void fullBufferDoesNotGrowWithTheTimeInWhichNothingCanBeWritten() {
        ReplayBuffer buffer = new ReplayBuffer(log, events, time, true);
        for (int i = 0; i < 10_050; i++) {
            buffer.count(EventType.OPERATION_REPLAYED, about("k" + i), null);
            if (i >= 10_000) {
                time.advance(Duration.ofSeconds(1));
            }
        }
        buffer.flush(true);
        assertThat(written()).hasSize(10_001);
        assertThat(written().stream()
                        .mapToLong(event -> (long) event.fields().get("count"))
                        .sum())
                .isEqualTo(10_050);
    }

    @Test
    void switchedOffItCountsNothing() {
        ReplayBuffer buffer = new ReplayBuffer(log, events, time, false);
        buffer.count(EventType.OPERATION_REPLAYED, about("k"), null);
        buffer.flush(true);
        assertThat(written()).isEmpty();
    }

    @Test
    void typesHaveStableNamesAndTheSeedsAliases() {
        assertThat(EventType.named("idempotency.record")).contains(EventType.OPERATION_EXECUTED);
        assertThat(EventType.named("idempotency.hit")).contains(EventType.OPERATION_REPLAYED);
        assertThat(EventType.named("operation.taken_over")).contains(EventType.OPERATION_TAKEN_OVER);
        assertThat(EventType.named("nothing")).isEmpty();
        assertThat(EventType.of(99)).isEmpty();
        for (EventType type : EventType.values()) {
            assertThat(EventType.of(type.code())).contains(type);
            assertThat(EventType.named(type.publicName())).contains(type);
        }
    }
}
