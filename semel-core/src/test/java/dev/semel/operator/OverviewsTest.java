package dev.semel.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.execution.BreakerStanding;
import dev.semel.operator.Overview.Attention;
import dev.semel.operator.Overview.OperationActivity;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.Claim;
import dev.semel.store.Reservation;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.worker.ActivityRecorder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What an overview says of a ledger. */
class OverviewsTest {
    private static final long START = 1_800_000_000_000L;
    private static final Tenant ACME = Tenant.of("acme");
    private static final Tenant GLOBEX = Tenant.of("globex");
    private static final Policy STEADY = Policy.named("steady")
            .withJitter(new Policy.Jitter.None())
            .withLease(Duration.ofSeconds(30))
            .withMaxAttempts(2)
            .build();
    private static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class).withPolicy("steady");
    private static final Channel.Leased<String> MAIL =
            Channel.leased("mail", String.class).withPolicy("steady");
    private static final Operator.Warrant WARRANT = new Operator.Warrant("ann", "the receiver is down");

    private final ManualTime time = new ManualTime(START);
    private final MemoryStore store = new MemoryStore(time);
    private final Engine engine = engine(store, 1);

    private Engine engine(Store on, int seed) {
        return EngineSettings.on(on)
                .withTime(time)
                .withRandom(new Random(seed))
                .withPolicy(STEADY)
                .withoutBackground()
                .withActivityByHand()
                .open();
    }

    private void flush() {
        time.advance(ActivityRecorder.PACE);
        engine.duties().activity().orElseThrow().flush(true);
    }

    private Overview overview(String tenant) {
        time.advance(Overviews.FRESH);
        return engine.overviews().of(OverviewWindow.HOUR, tenant);
    }

    private static OperationActivity operation(Overview overview, String name) {
        return overview.operations().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> sentences(Overview overview) {
        return overview.attention().stream().map(Attention::sentence).toList();
    }

    private void charge(Tenant tenant, String key) {
        engine.run(CHARGE, Call.of(tenant, Key.of(key), "payload"), (payload, tx) -> "done");
    }

    private void send(Tenant tenant, String key) {
        engine.send(MAIL, Message.of(tenant, Key.of(key), "payload"));
    }

    private void work() {
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    @Test
    void callsAreInTheSeriesOfTheirTimeAndInTheTotals() {
        charge(ACME, "a");
        charge(ACME, "a");
        charge(GLOBEX, "b");
        flush();
        time.advance(Duration.ofMinutes(10));
        charge(ACME, "c");
        flush();
        Overview overview = overview(null);
        assertThat(overview.scope().window()).isEqualTo(OverviewWindow.HOUR);
        OperationActivity charge = operation(overview, "charge");
        assertThat(charge.channel()).isFalse();
        assertThat(charge.mode()).isEqualTo(Mode.LIVE);
        long[] executed = charge.history().points("executed");
        assertThat(executed).hasSize(120);
        assertThat(Arrays.stream(executed).filter(count -> count > 0).toArray()).containsExactly(2, 1);
        assertThat(overview.totals().of("replayed")).isEqualTo(1);
        assertThat(ActivitySeries.calls(overview.totals())).isEqualTo(4);
        assertThat(ActivitySeries.callMillis(overview.totals(), 0.99)).isPresent();
        assertThat(ActivitySeries.ackMillis(overview.totals(), 0.99)).isEmpty();
        assertThat(overview.historySince()).hasValue(Instant.ofEpochMilli(START));
        assertThat(overview.attention()).isEmpty();
    }

    @Test
    void everyWindowHasTheSameCallsInItsOwnSteps() {
        charge(ACME, "a");
        flush();
        for (OverviewWindow window : OverviewWindow.values()) {
            Overview overview = engine.overviews().of(window, null);
            long[] points = operation(overview, "charge").history().calls();
            assertThat(points).as(window.name()).hasSize(window.points());
            assertThat(Arrays.stream(points).sum()).as(window.name()).isEqualTo(1);
            assertThat(Duration.between(overview.scope().from(), overview.now()))
                    .as(window.name())
                    .isLessThan(window.step().multipliedBy(window.points()));
        }
    }

    @Test
    void nodesAreSummedAndHistorySurvivesARestart() {
        charge(ACME, "a");
        flush();
        Engine other = engine(uncloseable(), 2);
        other.run(CHARGE, Call.of(ACME, Key.of("b"), "payload"), (payload, tx) -> "done");
        other.close();
        assertThat(overview(null).totals().of("executed")).isEqualTo(2);
    }

    private Store uncloseable() {
        return new ForwardingStore(store) {
            @Override
            public void close() {}
        };
    }

    @Test
    void h4_personOfOneTenantSeesFiguresOfThatTenantAlone() {
        engine.handle(MAIL, (payload, run) -> {
            throw Failure.of(Failure.Category.VALIDATION, "no").asException();
        });
        send(ACME, "a");
        send(ACME, "b");
        send(GLOBEX, "c");
        charge(GLOBEX, "d");
        work();
        engine.operator().pause("mail", "globex", WARRANT);
        flush();
        Overview acme = overview("acme");
        assertThat(acme.operations()).extracting(OperationActivity::name).containsExactly("mail");
        assertThat(acme.totals().of("dead_letters")).isEqualTo(2);
        assertThat(acme.attention()).extracting(Attention::kind).containsOnly(Attention.AttentionKind.DEAD_LETTERS);
        assertThat(acme.attention().get(0).filter())
                .isEqualTo(Map.of("state", "FAILED_TERMINAL", "operation", "mail", "tenant", "acme"));
        Overview globex = overview("globex");
        assertThat(globex.totals().of("dead_letters")).isEqualTo(1);
        assertThat(sentences(globex))
                .anyMatch(sentence -> sentence.contains("paused"))
                .noneMatch(sentence -> sentence.contains(WARRANT.reason()));
        assertThat(overview(null).totals().of("dead_letters")).isEqualTo(3);
        assertThat(sentences(overview(null))).anyMatch(sentence -> sentence.contains(WARRANT.reason()));
    }

    @Test
    void h4_pausesDoNotNameChannelsOfOtherTenants() {
        send(ACME, "a");
        engine.operator().pause("globex-sap", "globex", WARRANT);
        engine.operator().pause("globex-crm", null, WARRANT);
        engine.operator().pause("acme-sap", "acme", WARRANT);
        engine.operator().pause("mail", null, WARRANT);
        Overview acme = overview("acme");
        assertThat(acme.operations())
                .extracting(OperationActivity::name)
                .containsExactlyInAnyOrder("mail", "acme-sap")
                .doesNotContain("globex-sap", "globex-crm");
        assertThat(acme.attention()).extracting(Attention::operation).containsExactly("acme-sap", "mail");
        assertThat(overview(null).operations())
                .extracting(OperationActivity::name)
                .contains("globex-sap", "globex-crm", "acme-sap", "mail");
    }

    @Test
    void waitingMessagesHaveDepthAndAge() {
        send(ACME, "a");
        send(GLOBEX, "b");
        time.advance(Duration.ofSeconds(30));
        OperationActivity mail = operation(overview(null), "mail");
        assertThat(mail.channel()).isTrue();
        assertThat(mail.waiting().depth()).isEqualTo(2);
        assertThat(mail.waiting().complete()).isTrue();
        assertThat(mail.waiting().oldestDueMillis()).isEqualTo(30_000 + Overviews.FRESH.toMillis());
        assertThat(operation(overview("acme"), "mail").waiting().depth()).isEqualTo(1);
    }

    @Test
    void everythingThatNeedsAPersonHasASentenceTheMostUrgentFirst() {
        engine.handle(MAIL, (payload, run) -> {
            throw Failure.of(Failure.Category.VALIDATION, "no").asException();
        });
        send(ACME, "a");
        work();
        engine.operator().pause("mail", null, WARRANT);
        engine.operator().setMode(new Switchboard.Setting(null, "charge", Mode.HALTED), WARRANT);
        engine.operator()
                .setMode(
                        Switchboard.Setting.forGroup(
                                "acme", new Switchboard.Group(Switchboard.Group.By.PREFIX, "re"), Mode.SHADOW),
                        WARRANT);
        Overview overview = overview(null);
        assertThat(overview.attention())
                .extracting(Attention::kind)
                .containsExactly(
                        Attention.AttentionKind.DEAD_LETTERS,
                        Attention.AttentionKind.HALTED,
                        Attention.AttentionKind.PAUSED,
                        Attention.AttentionKind.SHADOW);
        assertThat(sentences(overview))
                .containsExactly(
                        "1 message of mail is a dead letter: they are not tried again until somebody replays or discards"
                                + " them.",
                        "Operation charge is HALTED: work is accepted and none is started.",
                        "Channel mail is paused since " + Instant.ofEpochMilli(START)
                                + " (the receiver is down): it accepts messages and delivers none until it is resumed.",
                        "Operations with prefix re are SHADOW for tenant acme: decisions are recorded and not acted on.");
        assertThat(operation(overview, "mail").pause()).isNotNull();
    }

    @Test
    void breakerOfThisNodeThatDoesNotLetEverythingThroughNeedsAPerson() {
        Channel.Breaker breaker = new Channel.Breaker(50, 2, Duration.ofMinutes(1));
        engine.handle(MAIL, Channel.Capacity.of(1).withBreaker(breaker), (payload, run) -> {
            throw Failure.of(Failure.Category.UPSTREAM_ERROR, "500").asException();
        });
        assertThat(overview(null).attention()).isEmpty();
        send(ACME, "a");
        send(ACME, "b");
        work();
        assertThat(sentences(overview(null)))
                .containsExactly(
                        "The breaker of mail is open on this node: its receiver keeps failing, so calls are held"
                                + " back. Other nodes have their own breakers.");
        assertThat(overview(null).attention().get(0).kind()).isEqualTo(Attention.AttentionKind.BREAKER_OPEN);
        assertThat(overview("acme").attention()).as("of one tenant").isEmpty();
        assertThat(engine.overviews().node().breakers().get("mail").phase()).isEqualTo(BreakerStanding.Phase.OPEN);
    }

    @Test
    void leaseThatNobodyTookOverIsReported() {
        send(ACME, "a");
        store.queue()
                .orElseThrow()
                .claim(new Claim(
                        "mail",
                        store.switchboard().modes().version(),
                        new Reservation.Grant(7, 30_000, true, 3),
                        new Claim.Amount(1, 1, Claim.Budget.NONE),
                        Claim.Turns.ALL,
                        row -> null));
        time.advance(Duration.ofSeconds(40));
        assertThat(overview(null).attention()).as("just over").isEmpty();
        time.advance(Duration.ofMinutes(5));
        Attention lease = overview(null).attention().get(0);
        assertThat(lease.kind()).isEqualTo(Attention.AttentionKind.OLD_LEASE);
        assertThat(lease.sentence())
                .isEqualTo(
                        "1 run of mail has an expired lease, the oldest for 5 minutes, and nobody took over: check that the"
                                + " service which runs it is up.");
        assertThat(lease.filter()).isEqualTo(Map.of("state", "IN_PROGRESS", "operation", "mail"));
    }

    @Test
    void overviewIsReadOnceHoweverManyAskForIt() {
        Overview first = engine.overviews().of(OverviewWindow.HOUR, null);
        charge(ACME, "a");
        flush();
        assertThat(overview(null)).isNotSameAs(first);
        Overview second = engine.overviews().of(OverviewWindow.HOUR, null);
        assertThat(engine.overviews().of(OverviewWindow.HOUR, null)).isSameAs(second);
        assertThat(second.only("charge").operations()).hasSize(1);
        assertThat(second.only("mail").operations()).isEmpty();
    }

    @Test
    void overviewContainsWhatThisNodeCountedSinceItLastWrote() {
        charge(ACME, "a");
        assertThat(overview(null).totals().of("executed")).isEqualTo(1);
        charge(ACME, "b");
        assertThat(overview(null).totals().of("executed")).isEqualTo(2);
        flush();
        assertThat(overview(null).totals().of("executed")).isEqualTo(2);
    }

    @Test
    void latenciesAndWhatWaitsAreSeriesOfAllOperationsAndOfEach() {
        charge(ACME, "a");
        send(ACME, "m");
        store.activity()
                .orElseThrow()
                .write(List.of(
                        waiting("mail", "waiting_most 7 due_ms_most 60000 ack_11 3"),
                        waiting("crm", "waiting_most 2 due_ms_most 90000 ack_12 1")));
        Overview all = overview(null);
        assertThat(Arrays.stream(all.waiting()).max()).hasValue(9);
        assertThat(Arrays.stream(all.history().dueMillis()).max()).hasValue(90_000);
        assertThat(all.history().ackMillis(0.99).stream().filter(OptionalDouble::isPresent))
                .isNotEmpty();
        Overview crm = all.only("crm");
        assertThat(Arrays.stream(crm.waiting()).max()).hasValue(2);
        double half = crm.history().ackMillis(0.5).stream()
                .filter(OptionalDouble::isPresent)
                .findFirst()
                .orElseThrow()
                .getAsDouble();
        assertThat(half).isBetween(1.024, 4.096);
        assertThat(all.only("none").history().totals().counts()).isEmpty();
    }

    private ActivityRow waiting(String operation, String counts) {
        long began = ActivityLog.ActivityStep.SECONDS.began(time.millis());
        return new ActivityRow(
                ActivityLog.ActivityStep.SECONDS, began, "", operation, 99, ActivityCounts.parse(counts));
    }

    @Test
    void storeWithoutHistoryShowsThePresentAlone() {
        Store without = new ForwardingStore(store) {
            @Override
            public Optional<dev.semel.store.ActivityLog> activity() {
                return Optional.empty();
            }
        };
        send(ACME, "a");
        Engine on = engine(without, 3);
        assertThat(on.duties().activity()).isEmpty();
        Overview overview = on.overviews().of(OverviewWindow.DAY, null);
        assertThat(overview.historySince()).isEmpty();
        assertThat(operation(overview, "mail").waiting().depth()).isEqualTo(1);
        assertThat(overview.totals().counts()).isEmpty();
    }

    @Test
    void nothingIsRecordedWhenItIsSwitchedOff() {
        Engine off = EngineSettings.on(store)
                .withoutActivityHistory()
                .withActivityByHand()
                .withoutBackground()
                .open();
        assertThat(off.duties().activity()).isEmpty();
    }
}
