package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.store.AuditFilter;
import dev.semel.testkit.Await;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The engine as a whole: opened by its front door, with its threads. */
class EngineTest {
    private static final Operation.Atomic<String, String> GREET = Operation.atomic("greet", String.class, String.class);
    private static final Operation.Leased<String, String> CALL = Operation.leased("call", String.class, String.class)
            .withPolicy("short")
            .asRepeatable();

    private static Call<String> call(String key) {
        return Call.of(Tenant.SINGLE, Key.of(key), "payload");
    }

    @Test
    void frontDoorOpensAnEngineByItsStoreUrl() {
        try (Semel semel = Semel.open("memory:")) {
            assertThat(semel.run(GREET, call("k"), (payload, tx) -> "hello").orThrow())
                    .isEqualTo("hello");
            assertThat(semel.run(GREET, call("k"), (payload, tx) -> "again").orThrow())
                    .isEqualTo("hello");
        }
    }

    @Test
    void b12_reconcilerThatHangsStopsNoOtherDuty() throws Exception {
        MemoryStore store = new MemoryStore(TimeSource.system());
        Operation.Leased<String, String> once = Operation.leased("once", String.class, String.class);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        try (Engine engine = EngineSettings.on(store).open()) {
            engine.reconcile(once, (payload, what) -> {
                asked.countDown();
                never.await();
                return Reconciler.Verdict.stillUnknown("never");
            });
            engine.run(once, call("k"), (payload, run) -> {
                throw new IllegalStateException("after the call");
            });
            assertThat(asked.await(120, TimeUnit.SECONDS)).isTrue();
            engine.run(GREET, call("k"), (payload, tx) -> "hello");
            engine.run(GREET, call("k"), (payload, tx) -> "again");
            AuditFilter replays = AuditFilter.ofType(EventType.OPERATION_REPLAYED.code());
            Await.until(
                    "replay events are written",
                    () -> !store.audit().newest(replays, 1).isEmpty());
        } finally {
            never.countDown();
        }
    }

    @Test
    void unknownStoreUrlNamesTheKnownForms() {
        assertThatThrownBy(() -> Semel.open("mongo://somewhere"))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("memory:");
    }

    @Test
    void allFaultsOfTheSettingsAreNamedAtOnce() {
        Policy twice = Policy.named("mine").build();
        Semel.Settings settings = Semel.settings("memory:")
                .withPolicy(twice)
                .withPolicy(twice)
                .withLocalCache(0)
                .withLargestValue(0)
                .withAuditOfEachReplay()
                .withoutAudit();
        assertThatThrownBy(settings::open)
                .isInstanceOfSatisfying(
                        SemelException.Misconfigured.class,
                        e -> assertThat(e.faults()).hasSize(4));
    }

    @Test
    void unknownPolicyIsNamedWhenItIsUsed() {
        try (Semel semel = Semel.open("memory:")) {
            assertThatThrownBy(() -> semel.run(GREET.withPolicy("defualt"), call("k"), (payload, tx) -> "hello"))
                    .isInstanceOf(SemelException.class)
                    .hasMessageContaining("defualt")
                    .hasMessageContaining("default");
        }
    }

    @Test
    void abandonedRunIsTakenOverInTheBackground() throws Exception {
        MemoryStore store = new MemoryStore(TimeSource.system());
        Policy shortLease =
                Policy.named("short").withLease(Duration.ofMillis(200)).build();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        try (Engine first = EngineSettings.on(store)
                        .withPolicy(shortLease)
                        .withoutBackground()
                        .open();
                Engine second = EngineSettings.on(store).withPolicy(shortLease).open()) {
            // The first engine renews nothing, as if its process had stopped.
            Thread lost = new Thread(() -> first.run(CALL, call("k"), (payload, run) -> {
                stuck.await();
                return "stale";
            }));
            lost.start();
            second.handle(CALL, (payload, run) -> {
                done.countDown();
                return "taken over";
            });
            assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
            Answer<String> answer = second.run(CALL, call("k").withPatience(Duration.ofSeconds(30)));
            assertThat(answer.orThrow()).isEqualTo("taken over");
            stuck.countDown();
            lost.join(120_000);
        }
    }
}
