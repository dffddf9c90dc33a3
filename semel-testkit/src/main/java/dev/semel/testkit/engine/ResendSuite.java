package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.DeliverySource;
import dev.semel.DeliverySource.Reason;
import dev.semel.DeliverySource.Report;
import dev.semel.DeliverySource.Resend;
import dev.semel.DeliverySource.Resent;
import dev.semel.DeliverySource.Schedule;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deliveries that are missing from the ledger are sent to their channels, each once. */
abstract class ResendSuite extends ChannelFixture {
    private static final Duration WINDOW = Duration.ofMinutes(20);
    private static final Schedule SCHEDULE = new Schedule(WINDOW, Duration.ofMinutes(5));
    private static final Channel.Leased<Note> BRIEF = Channel.leased("brief", Note.class)
            .withPolicy(
                    Policy.named("brief").withRetention(Policy.Retention.EVENTS).build());

    private final List<TimedDelivery> delivered = new ArrayList<>();
    private final List<Report> reports = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    ResendSuite(EngineContract contract) {
        super(contract);
    }

    private record TimedDelivery(Instant at, DeliverySource.Delivery delivery) {}

    /** Lists its deliveries by their time, all of a window in one page. */
    private final class OnePageSource implements DeliverySource {
        @Override
        public String name() {
            return "provider";
        }

        @Override
        public Page between(Instant from, Instant until, @Nullable String cursor) {
            return new Page(
                    delivered.stream()
                            .filter(each -> !each.at.isBefore(from) && each.at.isBefore(until))
                            .map(TimedDelivery::delivery)
                            .toList(),
                    null);
        }
    }

    @BeforeEach
    void startTenMinutesIntoAWindow() {
        long window = WINDOW.toMillis();
        time.advance(
                Duration.ofMillis(window - Math.floorMod(time.millis(), window)).plusMinutes(10));
        engine.handle(MAIL, listing());
    }

    private void check(Engine node, Resend resend) {
        node.checkDeliveries(new OnePageSource(), SCHEDULE, resend, (from, until, report) -> reports.add(report));
        look(node);
        reports.clear();
    }

    private static void look(Engine node) {
        node.duties().deliveries().begin();
        work(node);
    }

    /** The window of now ends, and its deliveries are checked. */
    private Resent checked(Engine node) {
        time.advance(WINDOW.plusMinutes(6));
        look(node);
        assertThat(reports).isNotEmpty();
        return reports.get(reports.size() - 1).resent();
    }

    private void deliver(Channel<Note> channel, String key) {
        deliver(channel.name(), key, "{\"lane\":\"lane\",\"text\":\"" + key + "\"}");
    }

    private void deliver(String channel, String key, @Nullable String payload) {
        delivered.add(new TimedDelivery(
                Instant.ofEpochMilli(time.millis()),
                new DeliverySource.Delivery(
                        ACME,
                        channel,
                        Key.of(key),
                        payload == null ? null : payload.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void missingDeliveryIsSentAndHandledOnceByAllNodesTogether() {
        Engine other = otherNode();
        check(engine, Resend.upTo(10, MAIL));
        check(other, Resend.upTo(10, MAIL));
        send(MAIL, "arrived");
        deliver(MAIL, "arrived");
        deliver(MAIL, "lost");
        Resent resent = checked(engine);
        look(other);
        assertThat(resent).isEqualTo(new Resent(1, Map.of()));
        assertThat(handled).containsExactlyInAnyOrder("arrived", "lost");
        // The provider delivers it after all: a duplicate.
        assertThat(send(MAIL, "lost").orThrow().first()).isFalse();
        work();
        assertThat(handled).hasSize(2);
        assertThat(story(MAIL, "lost")).contains("operation.queued", "operation.executed");
        List<AuditEvent> events =
                store.audit().newest(AuditFilter.ofType(EventType.DELIVERIES_CHECKED.code()), 1).stream()
                        .map(AuditEvent::new)
                        .toList();
        assertThat(events.get(0).details()).containsEntry("missing", 1L).containsEntry("resent", 1L);
    }

    @Test
    void partThatIsRepeatedAfterACrashSendsNothingTwice() {
        AtomicInteger calls = new AtomicInteger();
        engine.checkDeliveries(new OnePageSource(), SCHEDULE, Resend.upTo(10, MAIL), (from, until, report) -> {
            if (report.seen() > 0 && calls.incrementAndGet() == 1) {
                throw new IllegalStateException("fails after the sends");
            }
            reports.add(report);
        });
        deliver(MAIL, "lost");
        time.advance(WINDOW.plusMinutes(6));
        look(engine);
        workThrough(Duration.ofMinutes(1), 5);
        assertThat(calls).hasValue(2);
        assertThat(reports.get(reports.size() - 1).resent()).isEqualTo(Resent.NONE);
        assertThat(handled).containsExactly("lost");
    }

    /** By its own clock the window would have ended before its deliveries were made. */
    @Test
    void a11_nodeWhoseClockIsAheadChecksNoWindowTooEarly() {
        ManualTime ahead = new ManualTime(time.millis() + Duration.ofHours(3).toMillis());
        Engine fast = otherNode(ahead);
        check(fast, Resend.upTo(10, MAIL));
        deliver(MAIL, "lost");
        ahead.advance(WINDOW.plusMinutes(6));
        assertThat(checked(fast)).isEqualTo(new Resent(1, Map.of()));
        work();
        assertThat(handled).containsExactly("lost");
    }

    @Test
    void d16_windowWhoseMessageTheStoreRefusedIsBegunAgain() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        Engine node = start(
                new FaultyStore(reopened(), new Faults() {
                    @Override
                    public Fault at(StoreCall call) {
                        return Fault.NONE;
                    }

                    @Override
                    public boolean refuses(StoreCall call, RecordId record) {
                        return call == StoreCall.ENQUEUE && refusing.get();
                    }
                }),
                settings -> settings);
        deliver(MAIL, "lost");
        time.advance(WINDOW.plusMinutes(6));
        node.handle(MAIL, listing());
        check(node, Resend.upTo(10, MAIL));
        assertThat(handled).isEmpty();
        refusing.set(false);
        look(node);
        assertThat(handled).containsExactly("lost");
    }

    @Test
    void dryRunCountsAndSendsNothing() {
        check(engine, Resend.upTo(10, MAIL).asDryRun());
        deliver(MAIL, "lost");
        assertThat(checked(engine)).isEqualTo(new Resent(1, Map.of()));
        assertThat(handled).isEmpty();
        assertThat(row(MAIL.operation(), "lost")).isNull();
    }

    @Test
    void limitHoldsForEachWindow() {
        check(engine, Resend.upTo(2, MAIL));
        deliver(MAIL, "a");
        deliver(MAIL, "b");
        deliver(MAIL, "c");
        assertThat(checked(engine)).isEqualTo(new Resent(2, Map.of(Reason.OVER_LIMIT, 1L)));
        assertThat(handled).hasSize(2);
    }

    @Test
    void deliveriesThatCannotBeSentAreCountedByTheirReason() {
        check(engine, Resend.upTo(10, MAIL));
        deliver("mail", "without", null);
        deliver("mail", "unreadable", "[1, 2]");
        deliver(CHAT, "elsewhere");
        deliver(MAIL, "twice");
        deliver("mail", "twice", "{\"lane\":\"lane\",\"text\":\"changed\"}");
        assertThat(checked(engine))
                .isEqualTo(new Resent(1, Map.of(Reason.NO_PAYLOAD, 2L, Reason.OTHER_CHANNEL, 1L, Reason.REJECTED, 1L)));
        assertThat(handled).containsExactly("twice");
    }

    @Test
    void deliveryWhoseLaneCannotBeToldIsLeftOutAndTheOthersAreSent() {
        Channel.Leased<Note> strict = Channel.leased("strict", Note.class)
                .withPolicy("steady")
                .withLane(note -> java.util.Objects.requireNonNull(note.lane(), "a note without a lane"));
        engine.handle(strict, listing());
        check(engine, Resend.upTo(10, strict));
        deliver("strict", "bad", "{\"text\":\"bad\"}");
        deliver(strict, "good");
        assertThat(checked(engine)).isEqualTo(new Resent(1, Map.of(Reason.REJECTED, 1L)));
        assertThat(handled).containsExactly("good");
    }

    @Test
    void sourceThatListsWhatIsNoJsonIsReportedAsAConflict() {
        check(engine, Resend.upTo(10, MAIL));
        send(MAIL, "k");
        deliver("mail", "k", "{not json");
        deliver(MAIL, "lost");
        assertThat(checked(engine)).isEqualTo(new Resent(1, Map.of()));
        assertThat(reports.get(reports.size() - 1).conflicting()).isEqualTo(1);
    }

    @Test
    void messageThatWasHandledAndPurgedIsNotSentAgain() {
        engine.handle(BRIEF, listing());
        check(engine, Resend.upTo(10, BRIEF));
        engine.send(BRIEF, note("once", "lane")).orThrow();
        deliver(BRIEF, "once");
        work();
        assertThat(handled).containsExactly("once");
        time.advance(Duration.ofHours(3));
        engine.duties().purger().purge();
        assertThat(row(BRIEF.operation(), "once")).isNull();
        look(engine);
        assertThat(reports).extracting(Report::resent).contains(new Resent(0, Map.of(Reason.TOO_OLD, 1L)));
        assertThat(handled).containsExactly("once");
    }

    @Test
    void failedMessageIsNotSentAgain() {
        engine.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            throw failing(Failure.Category.VALIDATION);
        });
        check(engine, Resend.upTo(10, CHAT));
        send(CHAT, "dead");
        deliver(CHAT, "dead");
        work();
        assertThat(row(CHAT, "dead").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(checked(engine)).isEqualTo(Resent.NONE);
        assertThat(handled).containsExactly("dead");
    }

    @Test
    void channelWhosePolicyForgetsTooEarlyIsRejected() {
        Schedule hourly = Schedule.every(Duration.ofHours(1));
        Policy.Retention shortForDead =
                new Policy.Retention(Duration.ofHours(24), Duration.ofHours(1), Duration.ofMinutes(30));
        Channel.Leased<Note> mourning = Channel.leased("mourning", Note.class)
                .withPolicy(Policy.named("mourning").withRetention(shortForDead).build());
        Channel.Leased<Note> dropped = Channel.leased("dropped", Note.class).withPolicy(Policy.INGRESS_ACK);
        assertThatThrownBy(() -> engine.checkDeliveries(
                        new OnePageSource(),
                        hourly,
                        Resend.upTo(1, BRIEF, dropped, mourning, MAIL),
                        (from, until, report) -> {}))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("channel brief: its policy brief keeps messages that have ended for PT1H")
                .hasMessageContaining("channel mourning: its policy mourning keeps messages that have ended for PT30M")
                .hasMessageContaining("channel dropped")
                .hasMessageContaining("keeps no dead letters")
                .hasMessageNotContaining("channel mail");
        assertThatThrownBy(() -> Resend.upTo(0, MAIL))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("at least 1");
    }
}
