package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.audit.EventType;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.live.LiveEvent;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow.Position;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Following the audit among many events that do not match. */
class AuditFollowerTest {
    private final MemoryStore store = new MemoryStore(new ManualTime(1_800_000_000_000L));
    private final AuditFollower follower = new AuditFollower(
            store.audit(),
            new AuditFilter(null, null, null, EventType.SERVER_RELOAD.code()),
            new TenantSight(new Person("vera", Role.VIEWER, null), false),
            Position.START);

    private void append(EventType type, int times) {
        store.audit()
                .append(Collections.nCopies(
                        times,
                        new AuditEntry(
                                type.code(),
                                new AuditEntry.Subject("acme", null, null, null, null),
                                null,
                                0,
                                0,
                                null)));
    }

    @Test
    void thousandsOfOtherEventsDoNotDelayTheOneThatMatches() {
        append(EventType.MODE_CHANGED, 5_000);
        append(EventType.SERVER_RELOAD, 1);
        assertThat(follower.poll()).extracting(LiveEvent::name).containsExactly("audit");
        assertThat(follower.poll()).isEmpty();
    }

    @Test
    void oneCallReadsABoundedNumberOfEventsAndGoesOnWhereItStopped() {
        append(EventType.SERVER_RELOAD, 1_200);
        List<LiveEvent> first = follower.poll();
        assertThat(first).hasSizeBetween(1, 1_000);
        int found = first.size();
        for (int i = 0; i < 5; i++) {
            found += follower.poll().size();
        }
        assertThat(found).isEqualTo(1_200);
    }
}
