package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.policy.Classifier;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Work under a policy, without a key and without a record. */
abstract class KeylessRetrySuite extends EngineSuite {
    private static final Warrant WARRANT = new Warrant("ann", "a test");
    private static final Call.Keyless CONNECT = Call.Keyless.of("broker.connect", "steady")
            .withTenant(ACME)
            .withOrigin(Call.Origin.UNSTATED.withCorrelationId("c-1").withActor("ann", "user"));

    private final AtomicInteger attempts = new AtomicInteger();

    KeylessRetrySuite(EngineContract contract) {
        super(contract);
    }

    /** Fails so often, then returns the number of the attempt. */
    private Callable<Integer> failing(int times, Exception thrown) {
        return () -> {
            if (attempts.incrementAndGet() <= times) {
                throw thrown;
            }
            return attempts.get();
        };
    }

    private static Exception failure(Category category) {
        return Failure.of(category, "simulated").asException();
    }

    private List<Map<String, Object>> events() {
        AuditFilter filter = new AuditFilter(ACME.name(), CONNECT.name(), null, null);
        List<Map<String, Object>> events = new ArrayList<>(store.audit().newest(filter, 100).stream()
                .map(row -> new AuditEvent(row).fields())
                .toList());
        Collections.reverse(events);
        return events;
    }

    private List<Object> types() {
        return events().stream().map(event -> event.get("type")).toList();
    }

    private SemelException.RetryFailed retryFails(Call.Keyless work, Callable<Integer> attempt) {
        return catchThrowableOfType(SemelException.RetryFailed.class, () -> engine.retry(work, attempt));
    }

    @Test
    void workThatFailsIsTriedAgainAfterThePoliciesDelaysAndAudited() {
        long began = time.millis();
        assertThat(engine.retry(CONNECT, failing(2, new ConnectException("refused"))))
                .isEqualTo(3);
        assertThat(time.millis() - began).isEqualTo(3_000);
        assertThat(types()).containsExactly("retry.attempt", "retry.attempt");
        assertThat(events().get(1))
                .containsAllEntriesOf(Map.of(
                        "policy", "RETRY_STEADY", "category", "network", "attempt", 2L, "of", 3L, "delay_ms", 2_000L))
                .containsAllEntriesOf(Map.of(
                        "correlation_id", "c-1", "exception", ConnectException.class.getName(), "tenant", "acme"));
        assertThat(events()).noneMatch(event -> event.containsKey("record"));
    }

    @Test
    void workThatNeverSucceedsEndsWithItsLastFailureAndItsAttempts() {
        ConnectException refused = new ConnectException("refused");
        SemelException.RetryFailed failed = retryFails(CONNECT, failing(99, refused));
        assertThat(failed.attempts()).isEqualTo(3);
        assertThat(failed.failure().category()).isEqualTo(Category.NETWORK);
        assertThat(failed).hasCause(refused).hasMessageContaining("broker.connect (tenant acme): attempt 3 of 3");
        assertThat(types()).containsExactly("retry.attempt", "retry.attempt", "retry.exhausted", "system.error");
    }

    @Test
    void failureThatAnotherAttemptWouldNotChangeIsNotRetried() {
        SemelException.RetryFailed failed = retryFails(CONNECT, failing(99, failure(Category.AUTH)));
        assertThat(failed.attempts()).isEqualTo(1);
        assertThat(failed.failure().category()).isEqualTo(Category.AUTH);
        assertThat(types()).containsExactly("system.error");
    }

    @Test
    void retryAfterIsAFloorAndOneThatIsTooLongEndsTheWork() {
        long began = time.millis();
        Exception busy =
                Classifier.ofHttpStatus(429, "600", Instant.ofEpochMilli(began)).asException();
        assertThat(engine.retry(CONNECT, failing(1, busy))).isEqualTo(2);
        assertThat(time.millis() - began).isEqualTo(600_000);
        attempts.set(0);
        Exception tooLong = Classifier.ofHttpStatus(429, "7200", Instant.ofEpochMilli(began))
                .asException();
        SemelException.RetryFailed failed = retryFails(CONNECT, failing(1, tooLong));
        assertThat(failed.attempts()).isEqualTo(1);
        assertThat(failed.failure().category()).isEqualTo(Category.RATE_LIMITED);
    }

    @Test
    void noAttemptStartsAfterTheDeadline() {
        Call.Keyless soon = CONNECT.withDeadline(Instant.ofEpochMilli(time.millis() + 1_500));
        assertThat(retryFails(soon, failing(99, failure(Category.NETWORK))).attempts())
                .isEqualTo(2);
        assertThat(types()).containsExactly("retry.attempt", "retry.exhausted", "system.error");
        time.advance(Duration.ofSeconds(2));
        attempts.set(0);
        SemelException.RetryFailed late = retryFails(soon, failing(0, failure(Category.NETWORK)));
        assertThat(late.attempts()).isZero();
        assertThat(late.failure().category()).isEqualTo(Category.TIMEOUT);
        assertThat(attempts).hasValue(0);
    }

    @Test
    void attemptThatTakesTooLongIsInterruptedAndTriedAgain() {
        int result = engine.retry(CONNECT, () -> {
            if (attempts.incrementAndGet() == 1) {
                time.advance(STEADY.limits().attemptTimeout());
                engine.duties().keeper().tick();
                time.sleep(Duration.ofMillis(1));
            }
            return attempts.get();
        });
        assertThat(result).isEqualTo(2);
        assertThat(events().get(0)).containsEntry("category", "timeout");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void interruptEndsTheWorkAndIsKeptForItsCaller() {
        SemelException.RetryFailed failed = retryFails(CONNECT, () -> {
            attempts.incrementAndGet();
            throw new InterruptedException("simulated");
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failed.attempts()).isEqualTo(1);
        SemelException.RetryFailed waiting = retryFails(CONNECT, () -> {
            Thread.currentThread().interrupt();
            throw new IOException("simulated");
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waiting.attempts()).isEqualTo(1);
        assertThat(attempts).hasValue(1);
    }

    private void mode(Mode mode) {
        engine.operator().setMode(new Switchboard.Setting(null, null, mode), WARRANT);
        time.advance(Duration.ofSeconds(2));
    }

    @Test
    void haltedWorkDoesNotStartAndStopsBetweenAttempts() {
        mode(Mode.HALTED);
        assertThatThrownBy(() -> engine.retry(CONNECT, failing(0, failure(Category.NETWORK))))
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        halted -> assertThat(halted.answer()).isInstanceOf(Answer.Halted.class));
        assertThat(attempts).hasValue(0);
        mode(Mode.LIVE);
        SemelException.RetryFailed failed = retryFails(CONNECT, () -> {
            attempts.incrementAndGet();
            mode(Mode.HALTED);
            throw failure(Category.NETWORK);
        });
        assertThat(failed.attempts()).isEqualTo(1);
        assertThat(failed).hasMessageContaining("switched off");
    }

    @Test
    void onlyHarmlessWorkRunsInShadow() {
        mode(Mode.SHADOW);
        assertThatThrownBy(() -> engine.retry(CONNECT, failing(0, failure(Category.NETWORK))))
                .isInstanceOf(SemelException.NoResult.class);
        assertThat(engine.retry(CONNECT.asHarmless(), failing(1, failure(Category.NETWORK))))
                .isEqualTo(2);
    }

    @Test
    void workGoesOnWhileTheStoreIsAway() {
        AtomicBoolean away = new AtomicBoolean();
        Engine node = start(leaving(away), settings -> settings);
        away.set(true);
        time.advance(Duration.ofMinutes(1));
        assertThat(node.retry(CONNECT, failing(2, failure(Category.NETWORK)))).isEqualTo(3);
        attempts.set(0);
        assertThatThrownBy(() -> node.retry(CONNECT, failing(9, failure(Category.NETWORK))))
                .isInstanceOf(SemelException.RetryFailed.class);
        assertThat(types()).isEmpty();
        away.set(false);
        attempts.set(0);
        assertThat(node.retry(CONNECT, failing(1, failure(Category.NETWORK)))).isEqualTo(2);
        assertThat(types()).containsExactly("retry.attempt");
    }

    private Store leaving(AtomicBoolean away) {
        return new ForwardingStore(reopened()) {
            private void demandThere() {
                if (away.get()) {
                    throw new SemelException.StoreUnavailable("simulated");
                }
            }

            @Override
            public AuditLog audit() {
                return new ForwardingAuditLog(super.audit()) {
                    @Override
                    public void append(List<AuditEntry> entries) {
                        demandThere();
                        super.append(entries);
                    }
                };
            }

            @Override
            public Switchboard switchboard() {
                return new ForwardingSwitchboard(super.switchboard()) {
                    @Override
                    public Modes modes() {
                        demandThere();
                        return super.modes();
                    }
                };
            }
        };
    }

    @Test
    void failedRetryInAHandlerIsJudgedByItsFailure() {
        assertThat(EngineSuite.failure(engine.run(NOTIFY, call("k"), (order, run) -> {
                            engine.retry(CONNECT, failing(9, failure(Category.AUTH)));
                            return new Receipt("never");
                        }))
                        .category())
                .isEqualTo(Category.AUTH);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void retryInsideAnAtomicHandlerIsRefused() {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            assertThatThrownBy(() -> engine.retry(CONNECT, failing(0, failure(Category.NETWORK))))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("transaction would stay open");
            return new Receipt("r");
        });
        assertExecuted(answer, "r");
        assertThat(attempts).hasValue(0);
    }
}
