package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.DeliverySource;
import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Fault;
import dev.semel.DeliverySource.Finding;
import dev.semel.DeliverySource.Report;
import dev.semel.DeliverySource.Schedule;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.engine.Engine;
import dev.semel.store.AuditFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sources that say what they delivered, asked window by window. */
abstract class DeliverySuite extends ChannelFixture {
    private static final Schedule HOURLY = new Schedule(Duration.ofHours(1), Duration.ofMinutes(5));

    private final List<Delivery> delivered = new ArrayList<>();
    private final List<Instant> windows = new ArrayList<>();
    private final List<Report> reports = new ArrayList<>();
    private int asked;

    @SuppressWarnings("NullAway.Init")
    DeliverySuite(EngineContract contract) {
        super(contract);
    }

    /** Lists all its deliveries, a few at a time, for any window. */
    private final class Provider implements DeliverySource {
        private final int pageSize;

        Provider(int pageSize) {
            this.pageSize = pageSize;
        }

        @Override
        public String name() {
            return "provider";
        }

        @Override
        public Page between(Instant from, Instant until, @Nullable String cursor) {
            asked++;
            int at = cursor == null ? 0 : Integer.parseInt(cursor);
            int to = Math.min(delivered.size(), at + pageSize);
            return new Page(delivered.subList(at, to), to == delivered.size() ? null : String.valueOf(to));
        }
    }

    private Engine asking(Engine node, int pageSize) {
        node.checkDeliveries(new Provider(pageSize), HOURLY, (from, until, report) -> {
            windows.add(from);
            reports.add(report);
        });
        return node;
    }

    @BeforeEach
    void startTenMinutesIntoAnHour() {
        long hour = Duration.ofHours(1).toMillis();
        time.advance(
                Duration.ofMillis(hour - Math.floorMod(time.millis(), hour)).plusMinutes(10));
    }

    private void look(Engine node) {
        node.duties().deliveries().begin();
        work(node);
    }

    private void deliver(String key, @Nullable String payload) {
        delivered.add(new Delivery(
                ACME, "mail", Key.of(key), payload == null ? null : payload.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void missingDeliveryIsFoundAndReported() {
        asking(engine, 2);
        look(engine);
        reports.clear();
        send(MAIL, "arrived");
        deliver("arrived", "{\"text\":\"arrived\",\"lane\":\"lane\"}");
        deliver("lost", null);
        send(MAIL, "changed");
        deliver("changed", "{\"text\":\"other\",\"lane\":\"lane\"}");
        time.advance(Duration.ofMinutes(65));
        look(engine);
        assertThat(reports).hasSize(1);
        Report report = reports.get(0);
        assertThat(report.clean()).isFalse();
        assertThat(List.of(report.seen(), report.there(), report.missing(), report.conflicting()))
                .containsExactly(3L, 1L, 1L, 1L);
        assertThat(report.findings())
                .extracting(Finding::fault, Finding::key)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(Fault.MISSING, "lost"),
                        org.assertj.core.groups.Tuple.tuple(Fault.CONFLICTING, "changed"));
        assertThat(report.findings().get(0).record())
                .isEqualTo(id(MAIL.operation(), "lost").hex());
        assertThat(events().get(0).details())
                .containsEntry("seen", 3L)
                .containsEntry("missing", 1L)
                .containsEntry("conflicting", 1L);
        assertThat(events().get(0).fields().toString()).doesNotContain("lost");
    }

    private List<AuditEvent> events() {
        return store.audit().newest(AuditFilter.ofType(EventType.DELIVERIES_CHECKED.code()), 100).stream()
                .map(AuditEvent::new)
                .toList();
    }

    @Test
    void windowIsLookedAtOnceByAllNodesTogetherWhenItsGraceIsOver() {
        Engine other = otherNode();
        asking(engine, 10);
        asking(other, 10);
        look(engine);
        look(other);
        reports.clear();
        windows.clear();
        Instant hour = Instant.ofEpochMilli(time.millis()).minus(Duration.ofMinutes(10));
        time.advance(Duration.ofMinutes(54));
        look(engine);
        look(other);
        assertThat(windows).isEmpty();
        time.advance(Duration.ofMinutes(2));
        look(engine);
        look(other);
        look(engine);
        assertThat(windows).containsExactly(hour);
    }

    @Test
    void missedWindowsAreCheckedWithinHalfADay() {
        asking(engine, 10);
        look(engine);
        windows.clear();
        time.advance(Duration.ofHours(3).plusMinutes(10));
        look(engine);
        assertThat(windows).hasSize(3).doesNotHaveDuplicates();
        windows.clear();
        time.advance(Duration.ofDays(3));
        look(engine);
        assertThat(windows).hasSizeBetween(11, 12).doesNotHaveDuplicates();
    }

    @Test
    void longWindowIsDoneInPartsAndReportedOnce() {
        asking(engine, 3);
        look(engine);
        reports.clear();
        asked = 0;
        for (int i = 0; i < 200; i++) {
            deliver("k" + i, null);
        }
        send(MAIL, "k7");
        time.advance(Duration.ofMinutes(65));
        look(engine);
        assertThat(asked).isEqualTo(67);
        assertThat(reports).hasSize(1);
        assertThat(reports.get(0).seen()).isEqualTo(200);
        assertThat(reports.get(0).there()).isEqualTo(1);
        assertThat(reports.get(0).missing()).isEqualTo(199);
        assertThat(reports.get(0).findings()).hasSize(100);
    }

    @Test
    void deliveryOfAnotherTenantCountsAsMissing() {
        asking(engine, 3);
        look(engine);
        reports.clear();
        send(MAIL, "k");
        delivered.add(new Delivery(Tenant.of("other"), "mail", Key.of("k"), null));
        time.advance(Duration.ofMinutes(65));
        look(engine);
        assertThat(reports.get(0).missing()).isEqualTo(1);
    }

    @Test
    void sourceIsRegisteredOnce() {
        asking(engine, 1);
        assertThatThrownBy(() -> asking(engine, 1))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("registered already");
        assertThatThrownBy(() -> new Schedule(Duration.ZERO, Duration.ZERO)).isInstanceOf(SemelException.Invalid.class);
    }
}
