package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Channel.Capacity;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.execution.ReceiverBreaker;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A channel's breaker, on a clock that is moved by hand. */
class BreakerTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final int MESSAGES = 20;
    private static final int CALLS = 4;
    private static final Duration PAUSE = Duration.ofMinutes(5);
    private static final Channel.Breaker BREAKER = new Channel.Breaker(50, CALLS, PAUSE);
    private static final Policy AT_ONCE = Policy.named("at-once")
            .withMaxAttempts(10)
            .withJitter(new Policy.Jitter.None())
            .build();
    private static final Channel.Leased<String> MAIL =
            Channel.leased("mail", String.class).withPolicy("at-once");

    private static final Channel.Atomic<String> POST =
            Channel.atomic("post", String.class).withPolicy("at-once");

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final MemoryStore store = new MemoryStore(time);
    private int claims;
    private int moves;
    private int calls;
    private boolean up;

    /** Whether the next run ends with an error of its own. */
    private boolean fails;

    private final Engine engine = EngineSettings.on(new ForwardingStore(store) {
                @Override
                public Optional<Queue> queue() {
                    return super.queue().map(queue -> new ForwardingQueue(queue) {
                        @Override
                        public Claimed claim(Claim claim) {
                            claims++;
                            return super.claim(claim);
                        }
                    });
                }

                @Override
                public Ledger ledger() {
                    return new ForwardingLedger(super.ledger()) {
                        @Override
                        public List<Moved> move(List<Move> batch) {
                            moves += batch.size();
                            return super.move(batch);
                        }
                    };
                }
            })
            .withTime(time)
            .withPolicy(AT_ONCE)
            .withWatch(new Watch() {
                @Override
                public Trace begins(Span span) {
                    if (fails) {
                        fails = false;
                        throw new OutOfMemoryError("simulated");
                    }
                    return Trace.NONE;
                }
            })
            .withoutBackground()
            .open();

    @AfterEach
    void close() {
        engine.close();
    }

    private void sendAll() {
        for (int i = 0; i < MESSAGES; i++) {
            engine.send(MAIL, Message.of(ACME, Key.of("m" + i), "m" + i)).orThrow();
        }
    }

    private void call() {
        calls++;
        if (!up) {
            throw Failure.of(Failure.Category.UPSTREAM_ERROR, "500").asException();
        }
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            engine.duties().worker().turn();
        }
    }

    private List<Row> rows() {
        return rows(MAIL);
    }

    private List<Row> rows(Channel<String> channel) {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i -> {
                    RecordId id =
                            Identity.of(ACME, channel.name(), Key.of("m" + i)).id();
                    return store.ledger().find(List.of(id)).get(id);
                })
                .toList();
    }

    @Test
    void openBreakerSpendsNoAttemptAndLosesNothing() {
        engine.handle(MAIL, Capacity.of(1).withBreaker(BREAKER), (text, run) -> call());
        sendAll();
        rounds(3 * MESSAGES);
        time.advance(PAUSE.minusSeconds(1));
        rounds(3 * MESSAGES);
        assertThat(calls).as("calls until the breaker opened").isEqualTo(CALLS);
        assertThat(rows().stream().mapToInt(row -> row.status().attempt()).sum())
                .as("attempts spent")
                .isEqualTo(CALLS);
        assertThat(rows()).extracting(Row::state).containsOnly(State.QUEUED, State.FAILED_RETRYABLE);
        up = true;
        time.advance(Duration.ofSeconds(2));
        rounds(3 * MESSAGES);
        assertThat(rows()).extracting(Row::state).containsOnly(State.COMPLETED);
        assertThat(calls).isEqualTo(CALLS + MESSAGES);
    }

    @Test
    void pauseOfABreakerIsMeasuredByTheEnginesClock() {
        engine.handle(MAIL, Capacity.of(1).withBreaker(BREAKER), (text, run) -> call());
        sendAll();
        rounds(3 * MESSAGES);
        assertThat(calls).isEqualTo(CALLS);
        time.jump(Duration.ofDays(365));
        rounds(MESSAGES);
        assertThat(calls).as("calls after somebody set the wall clock").isEqualTo(CALLS);
        time.advance(PAUSE.plusSeconds(1));
        rounds(1);
        assertThat(calls).as("calls after the pause").isGreaterThan(CALLS);
    }

    @Test
    void halfOpenBreakerClaimsNothingMoreWhileItsProbesAreSlow() {
        boolean[] within = {false};
        int[] meanwhile = new int[2];
        engine.handle(MAIL, Capacity.of(8).withBreaker(BREAKER), (text, run) -> {
            call();
            if (!within[0]) {
                within[0] = true;
                // The first probe takes long: the worker goes round meanwhile.
                claims = 0;
                moves = 0;
                rounds(100);
                meanwhile[0] = claims;
                meanwhile[1] = moves;
            }
        });
        within[0] = true;
        sendAll();
        rounds(3 * MESSAGES);
        assertThat(calls).isEqualTo(CALLS);
        up = true;
        within[0] = false;
        time.advance(PAUSE.plusSeconds(1));
        rounds(3 * MESSAGES);
        assertThat(meanwhile[0]).as("claims while a probe runs").isLessThanOrEqualTo(CALLS);
        assertThat(meanwhile[1]).as("results and hand-backs while a probe runs").isLessThanOrEqualTo(CALLS);
        assertThat(rows()).extracting(Row::state).containsOnly(State.COMPLETED);
        assertThat(rows().stream().mapToInt(row -> row.status().attempt()).sum())
                .isEqualTo(CALLS + MESSAGES);
    }

    private void roundsThatMayThrow(int count) {
        for (int i = 0; i < count; i++) {
            try {
                engine.duties().worker().turn();
            } catch (OutOfMemoryError simulated) {
                assertThat(simulated).hasMessage("simulated");
            }
        }
    }

    private void assertProbeThatThrowsOutOfItsRunLeavesTheBreakerAble(Channel<String> channel) {
        for (int i = 0; i < MESSAGES; i++) {
            engine.send(channel, Message.of(ACME, Key.of("m" + i), "m" + i)).orThrow();
        }
        rounds(3 * MESSAGES);
        assertThat(calls).isEqualTo(CALLS);
        up = true;
        fails = true;
        time.advance(PAUSE.plusSeconds(1));
        roundsThatMayThrow(3 * MESSAGES);
        assertThat(fails).as("still to be thrown").isFalse();
        time.advance(AT_ONCE.limits().lease().plusSeconds(1));
        roundsThatMayThrow(3 * MESSAGES);
        assertThat(rows(channel)).extracting(Row::state).containsOnly(State.COMPLETED);
    }

    @Test
    void halfOpenBreakerGetsThePermissionOfALeasedProbeBackThatThrowsOutOfItsRun() {
        engine.handle(MAIL, Capacity.of(1).withBreaker(BREAKER), (text, run) -> call());
        assertProbeThatThrowsOutOfItsRunLeavesTheBreakerAble(MAIL);
    }

    @Test
    void halfOpenBreakerGetsThePermissionOfAnAtomicProbeBackThatThrowsOutOfItsRun() {
        engine.handle(POST, Capacity.of(1).withBreaker(BREAKER), (text, tx) -> call());
        assertProbeThatThrowsOutOfItsRunLeavesTheBreakerAble(POST);
    }

    @Test
    void halfOpenBreakerWhosePermissionsAreLostOpensAndProbesAgain() {
        ReceiverBreaker receiver = new ReceiverBreaker("mail", BREAKER, time);
        Failure failure = Failure.of(Failure.Category.UPSTREAM_ERROR, "500");
        for (int i = 0; i < CALLS; i++) {
            assertThat(receiver.tryCall()).isTrue();
            receiver.failed(failure);
        }
        assertThat(receiver.claimable(10, 0)).isZero();
        time.advance(PAUSE.plusSeconds(1));
        assertThat(receiver.claimable(10, 0)).isEqualTo(1);
        for (int i = 0; i < CALLS; i++) {
            assertThat(receiver.tryCall()).isTrue();
        }
        assertThat(receiver.tryCall()).isFalse();
        assertThat(receiver.claimable(10, CALLS)).as("while probes run").isZero();
        assertThat(receiver.claimable(10, 0))
                .as("nothing runs, and nothing may")
                .isZero();
        time.advance(PAUSE.plusSeconds(1));
        assertThat(receiver.claimable(10, 0)).isEqualTo(1);
        for (int i = 0; i < CALLS; i++) {
            assertThat(receiver.tryCall()).isTrue();
            receiver.succeeded();
        }
        assertThat(receiver.isClosed()).isTrue();
    }

    @Test
    void workerDoesNotOpenABreakerAgainWhoseProbesAreDirectCalls() {
        Operation.Leased<String, String> ship = Operation.leased("ship", String.class, String.class)
                .withPolicy(
                        AT_ONCE.toBuilder().withName("once").withMaxAttempts(1).build())
                .withBreaker(BREAKER);
        engine.handle(ship, (text, run) -> {
            call();
            return text;
        });
        for (int i = 0; i < CALLS; i++) {
            assertThat(engine.run(ship, Call.of(ACME, Key.of("a" + i), "a")).isResult())
                    .isFalse();
        }
        up = true;
        time.advance(PAUSE.plusSeconds(1));
        probeAndGoRound(ship, 0);
        assertThat(engine.run(ship, Call.of(ACME, Key.of("after"), "a")).isResult())
                .as("probes succeeded, so the breaker is closed")
                .isTrue();
    }

    /** As many calls as there are probes, one within the other; the worker goes round in the innermost. */
    private void probeAndGoRound(Operation.Leased<String, String> ship, int depth) {
        Answer<String> answer = engine.run(ship, Call.of(ACME, Key.of("p" + depth), "p"), (text, run) -> {
            if (depth + 1 < CALLS) {
                probeAndGoRound(ship, depth + 1);
            } else {
                rounds(10);
            }
            return text;
        });
        assertThat(answer.isResult()).isTrue();
    }

    @Test
    void halfOpenBreakerWhoseProbesHangOpensAndProbesAgain() {
        ReceiverBreaker receiver = new ReceiverBreaker("mail", BREAKER, time);
        for (int i = 0; i < CALLS; i++) {
            assertThat(receiver.tryCall()).isTrue();
            receiver.failed(Failure.of(Failure.Category.UPSTREAM_ERROR, "500"));
        }
        time.advance(PAUSE.plusSeconds(1));
        for (int i = 0; i < CALLS; i++) {
            assertThat(receiver.tryCall()).isTrue();
        }
        time.advance(Duration.ofMinutes(9));
        assertThat(receiver.tryCall()).as("while they may still end").isFalse();
        time.advance(Duration.ofMinutes(2));
        assertThat(receiver.tryCall()).as("opens").isFalse();
        time.advance(PAUSE.plusSeconds(1));
        assertThat(receiver.tryCall()).as("probes again").isTrue();
    }
}
