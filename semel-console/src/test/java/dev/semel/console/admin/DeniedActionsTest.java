package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.AuditFilter;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Denied actions of known people in the audit. */
class DeniedActionsTest {
    private static final Person ANN = new Person("ann", Role.VIEWER, Tenant.of("acme"));

    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final Engine engine =
            EngineSettings.at("memory:").withoutBackground().open();
    private final DeniedActions denials = new DeniedActions(engine.operator(), time);

    @AfterEach
    void close() {
        engine.close();
    }

    private void deny(int times, Person person, String action) {
        for (int i = 0; i < times; i++) {
            denials.denied(person, action, "not allowed");
        }
    }

    /** Oldest first. */
    private List<String> counts() {
        List<Map<String, Object>> events =
                engine.store().audit().newest(new AuditFilter(null, null, null, null), 100).stream()
                        .map(row -> new AuditEvent(row).fields())
                        .toList();
        return java.util.stream.IntStream.range(0, events.size())
                .mapToObj(i -> events.get(events.size() - 1 - i))
                .map(event -> event.get("actor") + " " + event.get("action") + " " + event.get("count"))
                .toList();
    }

    @Test
    void h4_loopOfDeniedActionsIsOneEventAndOneCountOfAMinute() {
        deny(1_000, ANN, "POST /admin/adopt");
        assertThat(counts()).containsExactly("ann POST /admin/adopt 1");
        time.advance(Duration.ofMinutes(1));
        denials.flush();
        assertThat(counts()).containsExactly("ann POST /admin/adopt 1", "ann POST /admin/adopt 999");
        deny(1, ANN, "POST /admin/adopt");
        assertThat(counts()).hasSize(3).last().isEqualTo("ann POST /admin/adopt 1");
    }

    @Test
    void peopleAndActionsAreCountedApart() {
        Person other = new Person("ann", Role.VIEWER, Tenant.of("acme"), "u-2");
        deny(2, ANN, "POST /admin/adopt");
        deny(2, ANN, "POST /admin/modes");
        deny(2, other, "POST /admin/adopt");
        denials.close();
        assertThat(counts())
                .containsExactlyInAnyOrder(
                        "ann POST /admin/adopt 1",
                        "ann POST /admin/modes 1",
                        "ann (u-2) POST /admin/adopt 1",
                        "ann POST /admin/adopt 1",
                        "ann POST /admin/modes 1",
                        "ann (u-2) POST /admin/adopt 1");
    }

    @Test
    void countsThatAreKeptAreBounded() {
        for (int i = 0; i < DeniedActions.MOST + 5; i++) {
            deny(2, new Person("p" + i, Role.VIEWER, null), "POST /admin/adopt");
        }
        assertThat(engine.store().audit().newest(new AuditFilter(null, null, null, null), 10_000))
                .as("the first of each, and the counts of the five oldest")
                .hasSize(DeniedActions.MOST + 10);
    }
}
