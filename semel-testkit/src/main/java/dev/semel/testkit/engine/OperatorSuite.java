package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.audit.Verification;
import dev.semel.operator.Operator.Forgotten;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Forgetting, adopting, purging, sealing. */
abstract class OperatorSuite extends EngineSuite {
    private static final Warrant WARRANT = new Warrant("ann", "customer asked");

    OperatorSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void forgottenKeyIsNewAgainAndTheAuditSaysWhoAndWhy() throws Exception {
        var cached = start(store, settings -> settings.withLocalCache(10));
        cached.run(CHARGE, call("k"), charging("k"));
        assertThat(cached.operator().forget(ACME, "charge", Key.of("k"), WARRANT))
                .isEqualTo(Forgotten.DONE);
        assertThat(cached.operator().forget(ACME, "charge", Key.of("k"), WARRANT))
                .isEqualTo(Forgotten.ABSENT);
        assertExecuted(cached.run(CHARGE, call("k"), charging("k")), "r-k");
        assertThat(effects.count("k")).isEqualTo(2);
        assertThat(story(CHARGE, "k")).containsExactly("operation.executed", "operator.forgot", "operation.executed");
    }

    @Test
    void runningRecordCannotBeForgotten() {
        engine.run(REFUND, call("k"), (order, run) -> {
            assertThatThrownBy(() -> engine.operator().forget(ACME, "refund", Key.of("k"), WARRANT))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("IN_PROGRESS");
            return new Receipt("r");
        });
        assertThatThrownBy(() -> new Warrant("ann", " ")).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void a13_afterAnAdoptionNoOlderRunFinishesAndNoFenceIsReused() {
        List<Long> fences = new ArrayList<>();
        Answer<Receipt> zombie = engine.run(NOTIFY, call("k"), (order, run) -> {
            fences.add(run.fence());
            assertThat(engine.operator().adopt(WARRANT)).isEqualTo(1);
            assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
            engine.operator().forget(ACME, "notify", Key.of("k"), WARRANT);
            engine.run(NOTIFY, call("other"), (o, r) -> {
                fences.add(r.fence());
                return new Receipt("r");
            });
            return new Receipt("zombie");
        });
        assertThat(zombie).isNotInstanceOf(Answer.Executed.class);
        assertThat(fences.get(1) >> 48).isGreaterThan(fences.get(0) >> 48);
        assertThat(row(NOTIFY, "k")).isNull();
    }

    @Test
    void a13_recordPurgedAndMadeAgainNeverReusesAFence() {
        charge("k");
        long first = row(CHARGE, "k").status().fence();
        time.advance(STEADY.retention().success());
        assertThat(engine.duties().purger().purge()).containsEntry("acme", 1);
        assertThat(row(CHARGE, "k")).isNull();
        charge("k");
        assertThat(row(CHARGE, "k").status().fence()).isGreaterThan(first);
    }

    @Test
    void a9_retentionThatEndsDuringARunRemovesNothingLive() {
        assertExecuted(
                engine.run(NOTIFY, call("k"), (order, run) -> {
                    time.advance(STEADY.retention().success().multipliedBy(2));
                    engine.duties().purger().purge();
                    assertThat(state(NOTIFY, "k")).isEqualTo(State.IN_PROGRESS);
                    return new Receipt("r");
                }),
                "r");
        engine.duties().purger().purge();
        assertReplayed(engine.run(NOTIFY, call("k"), (order, run) -> new Receipt("again")), "r");
        time.advance(STEADY.retention().success());
        assertThat(engine.duties().purger().purge()).containsEntry("acme", 1);
        assertThat(engine.duties().purger().purge()).isEmpty();
    }

    @Test
    void auditIsSealedAndVerifies() {
        for (int i = 0; i < 20; i++) {
            charge("k" + i % 15);
        }
        engine.duties().replays().flush(true);
        assertThat(engine.duties().sealer().sealAll()).isGreaterThanOrEqualTo(20);
        assertThat(engine.duties().sealer().sealAll()).isZero();
        Verification.VerificationReport report = new Verification(store.audit()).verify(null);
        assertThat(report.intact()).isTrue();
        assertThat(report.anchor()).isPresent();
        charge("one more");
        engine.duties().sealer().sealAll();
        assertThat(new Verification(store.audit())
                        .verify(report.anchor().orElseThrow())
                        .intact())
                .isTrue();
        assertThat(new Verification(store.audit()).verify("1:00").intact()).isFalse();
    }

    @Test
    void auditOfEachReplayWritesTheEventBeforeTheAnswer() {
        var each = start(store, settings -> settings.withAuditOfEachReplay());
        each.run(CHARGE, call("k"), charging("k"));
        each.run(CHARGE, call("k"), charging("k"));
        each.run(CHARGE, otherPayload("k"), charging("k"));
        assertThat(story(CHARGE, "k"))
                .containsExactly("operation.executed", "operation.replayed", "operation.conflict");
    }

    @Test
    void withoutAuditOnlyOperatorsLeaveEvents() {
        var silent = start(store, settings -> settings.withoutAudit());
        silent.run(CHARGE, call("k"), charging("k"));
        silent.run(CHARGE, call("k"), charging("k"));
        silent.operator().forget(ACME, "charge", Key.of("k"), WARRANT);
        assertThat(story(CHARGE, "k")).containsExactly("operator.forgot");
    }
}
