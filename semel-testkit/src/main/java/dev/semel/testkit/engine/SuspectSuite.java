package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Reconciler;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.execution.Failures;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.store.AuditFilter;
import dev.semel.store.Move;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that may have killed a node: which they are, how many of them a node holds, and for how long. */
abstract class SuspectSuite extends ChannelFixture {
    private static final int MANY = 100;
    private static final Warrant WARRANT = new Warrant("anna", "looked at it");
    private static final Channel.Leased<Note> ONCE =
            Channel.leased("once", Note.class).withPolicy("steady").asUnrepeatable();

    private final List<Integer> counted = new ArrayList<>();
    private final AtomicBoolean first = new AtomicBoolean(true);

    SuspectSuite(EngineContract contract) {
        super(contract);
    }

    /** Writes down how many attempts are counted while its handler runs: a suspect's own is, another's is not. */
    private void handleCounting() {
        engine.handle(MAIL, (note, run) -> {
            counted.add(row(MAIL, note.text()).status().attempt());
            handled.add(note.text() + run.attempt());
        });
    }

    private void loseInAllAttempts() {
        send(MAIL, "m");
        abandon(MAIL, STEADY.retry().maxAttempts());
        engine.duties().sweeper().sweep();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.UNKNOWN);
        assertThat(row(MAIL, "m").failure()).asString().contains("lease_lost");
    }

    /** A node took them over and handed them back. */
    private void handBackSuspects(Channel<Note> channel, int records) {
        byte[] mark = Failures.encode(Failure.of(Failure.Category.LEASE_LOST, "A node that held it died."));
        Move.Change back = Transition.due(Duration.ZERO, Duration.ZERO, 0, mark);
        store.ledger()
                .move(claim(channel, records).stream()
                        .map(row ->
                                Transition.HAND_BACK.of(row.id(), row.status().fence(), back, null))
                        .toList());
    }

    private void sendMany(Channel<Note> channel, int records) {
        IntStream.range(0, records).forEach(i -> send(channel, "m" + i));
    }

    private List<State> states(Channel<Note> channel, int records) {
        return IntStream.range(0, records)
                .mapToObj(i -> row(channel, "m" + i).state())
                .toList();
    }

    /** Time passes on a node that renews its leases. */
    private void passHolding(Duration duration) {
        Duration step = LEASE.dividedBy(4);
        for (Duration left = duration; !left.isNegative(); left = left.minus(step)) {
            time.advance(step);
            engine.duties().keeper().tick();
        }
    }

    @Test
    void d3_messageLostInAllItsAttemptsIsNoSuspectOnceAnOperatorReplaysIt() {
        handleCounting();
        loseInAllAttempts();
        assertThat(engine.operator().replay(row(MAIL, "m").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        work();
        assertThat(handled).containsExactly("m1");
        assertThat(counted).containsExactly(0);
        assertThat(store.audit().newest(AuditFilter.ALL, 100))
                .as("the reason is told by the audit")
                .anyMatch(event -> new AuditEvent(event).fields().toString().contains("lease_lost"));
    }

    @Test
    void d3_messageLostInAllItsAttemptsIsNoSuspectOnceItsReconcilerFoundNoEffect() {
        handleCounting();
        engine.reconcile(MAIL.operation(), (note, asked) -> Reconciler.Verdict.noEffect());
        loseInAllAttempts();
        engine.duties().reconciliation().reconcile();
        work();
        assertThat(handled).containsExactly("m1");
        assertThat(counted).containsExactly(0);
    }

    @Test
    void d3_messagesOfAParkingChannelAreNoSuspectsAndRunBesideEachOther() {
        sendMany(ONCE, 2);
        handBackSuspects(ONCE, 2);
        engine.handle(ONCE, (note, run) -> {
            handled.add(note.text() + " begins");
            if (first.getAndSet(false)) {
                engine.duties().worker().turn();
            }
            handled.add(note.text() + " ends");
        });
        work();
        assertThat(handled).hasSize(4);
        assertThat(handled.subList(0, 2)).allMatch(line -> line.endsWith("begins"));
    }

    @Test
    void d3_suspectsThatWereHandedBackAreClaimedOnlyAsFarAsTheWindowAllows() {
        sendMany(MAIL, MANY);
        handBackSuspects(MAIL, MANY);
        List<State> whileTheFirstRuns = new ArrayList<>();
        engine.handle(MAIL, Channel.Capacity.of(1), (note, run) -> {
            if (first.getAndSet(false)) {
                IntStream.range(0, MANY).forEach(i -> engine.duties().worker().turn());
                whileTheFirstRuns.addAll(states(MAIL, MANY));
            }
            handled.add(note.text());
        });
        work();
        assertThat(whileTheFirstRuns.stream().filter(State.IN_PROGRESS::equals)).hasSizeLessThan(MANY / 4);
        assertThat(handled).hasSize(MANY);
        assertThat(states(MAIL, MANY)).containsOnly(State.COMPLETED);
    }

    @Test
    void d3_suspectThatWaitsLongerThanItsLeaseIsLeftToOtherNodesWithoutSpendingAnAttempt() {
        sendMany(MAIL, 3);
        claim(MAIL, 3);
        time.advance(LEASE.plusSeconds(1));
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> handled.add(note.text() + " elsewhere " + run.attempt()));
        List<Row> waiting = new ArrayList<>();
        engine.handle(MAIL, (note, run) -> {
            handled.add("begins");
            passHolding(LEASE.multipliedBy(2));
            engine.duties().worker().turn();
            for (int i = 0; i < 3; i++) {
                waiting.add(row(MAIL, "m" + i));
            }
            time.advance(Duration.ofSeconds(2));
            work(other);
            handled.add("ends");
        });
        work();
        assertThat(waiting).extracting(Row::state).containsOnlyOnce(State.IN_PROGRESS);
        assertThat(waiting.stream().filter(row -> row.state() == State.QUEUED))
                .hasSize(2)
                .allMatch(row -> row.status().attempt() == 0)
                .allMatch(row -> new String(row.failure()).contains("lease_lost"));
        assertThat(handled).hasSize(4).startsWith("begins").endsWith("ends");
        assertThat(handled.subList(1, 3)).allMatch(line -> line.endsWith("elsewhere 1"));
        assertThat(states(MAIL, 3)).containsOnly(State.COMPLETED);
    }

    @Test
    void d3_suspectWhoseTimeOutHasPassedDoesNotKeepThoseOfOtherChannelsFromRunning() {
        send(MAIL, "slow");
        claim(MAIL);
        time.advance(LEASE.plusSeconds(1));
        Duration step = LEASE.dividedBy(4);
        engine.handle(MAIL, (note, run) -> {
            send(POST, "other");
            claim(POST);
            passHolding(STEADY.limits().attemptTimeout().minus(step.multipliedBy(2)));
            handled.add("before its time-out");
            engine.duties().worker().turn();
            handled.add("at its time-out");
            time.advance(step.multipliedBy(2));
            engine.duties().worker().turn();
            handled.add("slow");
        });
        engine.handle(POST, (note, tx) -> handled.add(note.text()));
        work();
        assertThat(handled).containsExactly("before its time-out", "at its time-out", "other", "slow");
    }

    @Test
    void d3_suspectAtTheHeadOfALaneBringsNoneOfItsFollowersAlong() {
        sendMany(CHAT, 1);
        handBackSuspects(CHAT, 1);
        IntStream.range(1, 5).forEach(i -> send(CHAT, "m" + i));
        List<State> whileTheSuspectRuns = new ArrayList<>();
        engine.handle(CHAT, (note, run) -> {
            if (first.getAndSet(false)) {
                whileTheSuspectRuns.addAll(states(CHAT, 5));
            }
            handled.add(note.text() + run.attempt());
        });
        work();
        assertThat(whileTheSuspectRuns)
                .containsExactly(State.IN_PROGRESS, State.QUEUED, State.QUEUED, State.QUEUED, State.QUEUED);
        assertThat(handled).containsExactly("m01", "m11", "m21", "m31", "m41");
    }
}
