package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.ExternalRuns.BeginTerms;
import dev.semel.execution.ExternalRuns.ExternalBegin.RunGranted;
import dev.semel.execution.ExternalRuns.ExternalEnd.EndRecorded;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What an external run costs the store. */
class ExternalRunReadsTest {
    private static final Operation.Leased<String, String> CHARGE =
            Operation.leased("charge", String.class, String.class);

    private final List<String> shared = new CopyOnWriteArrayList<>();

    @Test
    void finishSharesItsReadAndItsCommitWithOtherCallers() {
        Watch watch = new Watch() {
            @Override
            public void shared(String step, int size) {
                shared.add(step);
            }
        };
        try (Semel semel = Semel.settings("memory:").withWatch(watch).open()) {
            ExternalRuns runs = Engine.behind(semel).orElseThrow().externalRuns();
            Call<String> call = Call.of(Tenant.of("acme"), Key.of("k"), "12");
            RunGranted<String> run =
                    (RunGranted<String>) runs.begin(CHARGE, call, new BeginTerms(Duration.ofSeconds(10), null));
            shared.clear();
            assertThat(runs.finish(CHARGE, run.run(), "r")).isEqualTo(new EndRecorded<>());
            assertThat(shared).containsExactly("find", "move");
        }
    }
}
