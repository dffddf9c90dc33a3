package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A6 on SQLite: for each statement of a call a process that ends in its place; then the call is repeated by another. */
@Timeout(300)
class HaltTest {
    private static final int LANES = 2;
    private static final int MOST_STATEMENTS = 60;
    private static final String KIND = "halting";

    @TempDir
    private Path directory;

    /** The statements of the two leased kinds are the same, so one of them waits for the campaign. */
    static Stream<WorkKind> works() {
        return Boolean.getBoolean("semel.campaign")
                ? Stream.of(WorkKind.values())
                : Stream.of(WorkKind.PAY, WorkKind.NOTIFY);
    }

    @ParameterizedTest
    @MethodSource("works")
    void a6_processThatEndsAtAnyStatementOnSqliteLeavesAllOrNothing(WorkKind work) throws Exception {
        judged(work, ServiceBug.NONE, 1).assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    /** The engine itself notices that the transaction is gone: nothing is answered as executed. */
    @Test
    void a6_effectThatIsCommittedBeforeItsRecordIsCaughtOnSqlite() throws Exception {
        assertThatThrownBy(() -> judged(WorkKind.PAY, ServiceBug.COMMITS_THE_EFFECT_FIRST, 3))
                .hasMessageContaining("the handler has ended the transaction in which it ran");
    }

    /** @param stride 1 for every statement, 2 for every second */
    private Judgement judged(WorkKind work, ServiceBug flaw, int stride) throws Exception {
        RunDatabases place = RunDatabases.sqlite(directory);
        place.prepare();
        if (!Jvms.shared().trained(KIND)) {
            Jvms.shared()
                    .train(KIND, HaltingProcess.class, directory.resolve("training.log"), order(place, work, 0, flaw));
        }
        int statements = haltAtStatements(place, work, flaw, stride);
        assertThat(statements).as("statements of a call").isBetween(8, MOST_STATEMENTS - 1);
        return new KillCampaign(place, directory).finishAndJudge();
    }

    /** How many statements the call has, up to the stride. */
    private int haltAtStatements(RunDatabases place, WorkKind work, ServiceBug flaw, int stride) throws Exception {
        ExecutorService lanes = Executors.newFixedThreadPool(LANES);
        try {
            List<Callable<Integer>> loops = new ArrayList<>();
            for (int lane = 1; lane <= LANES; lane++) {
                int first = lane * stride;
                loops.add(() -> {
                    int n = first;
                    while (n <= MOST_STATEMENTS && halts(place, work, n, flaw)) {
                        n += LANES * stride;
                    }
                    return n;
                });
            }
            int beyond = Integer.MAX_VALUE;
            for (Future<Integer> loop : lanes.invokeAll(loops)) {
                beyond = Math.min(beyond, loop.get());
            }
            return beyond - stride;
        } finally {
            lanes.shutdownNow();
        }
    }

    private boolean halts(RunDatabases place, WorkKind work, int statement, ServiceBug flaw) throws Exception {
        Path log = directory.resolve("p" + statement + ".log");
        Process process =
                Jvms.shared().startTrained(KIND, HaltingProcess.class, log, order(place, work, statement, flaw));
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isIn(0, HaltingProcess.HALTED);
            return process.exitValue() == HaltingProcess.HALTED;
        } finally {
            process.destroyForcibly();
        }
    }

    private List<String> order(RunDatabases place, WorkKind work, int statement, ServiceBug flaw) {
        String process = "p" + statement;
        WorkerProcess.Order.Range nothing = new WorkerProcess.Order.Range(0, 0, 1, 0);
        Path history = directory.resolve(process + ".history");
        return HaltingProcess.arguments(
                new WorkerProcess.Order(place, history, process, nothing, flaw), work, statement);
    }
}
