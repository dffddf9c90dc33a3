package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.SemelException;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B4 and B5: a disk that does not sync, and one that is full. */
@Timeout(300)
class DiskTest {
    private static final int PAGE = 4096;

    @TempDir
    private Path directory;

    /** Once, and from then on for ever; each thread's syncs are counted by themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"20", "35", "20+"})
    void b4_aSyncThatFailsIsNeverTakenForACommit(String when) throws Exception {
        withFailingSyncs(when, 40, ServiceBug.NONE)
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    /** Sooner than above and with more keys, so that much is asked for the first time after it. */
    @Test
    void b4_syncThatFailsAndIsTakenForACommitIsCaught() throws Exception {
        assertThat(withFailingSyncs("14+", 400, ServiceBug.IGNORES_FAILED_COMMITS)
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R5);
    }

    private Judgement withFailingSyncs(String when, int keys, ServiceBug flaw) throws Exception {
        MachineTools.demand("strace", "-V");
        RunDatabases place = RunDatabases.sqlite(directory);
        place.prepare();
        Path log = directory.resolve("w.log");
        Path injected = directory.resolve("strace.log");
        Path history = directory.resolve("w.history");
        WorkerProcess.Order.Range range = new WorkerProcess.Order.Range(7, 0, keys, 40);
        WorkerProcess.Order order = new WorkerProcess.Order(place, history, "w", range, flaw);
        List<String> strace = List.of(
                "strace",
                "-f",
                "-qq",
                "-o",
                injected.toString(),
                "-e",
                "trace=fsync,fdatasync",
                "-e",
                "inject=fsync,fdatasync:error=EIO:when=" + when);
        Jvms.await(Jvms.shared().startUnder(strace, WorkerProcess.class, log, order.arguments()), log);
        assertThat(Files.readString(injected)).contains("(INJECTED)");
        return new KillCampaign(place, directory).finishAndJudge();
    }

    @Test
    void b6_readOnlyFileSystemIsAClearErrorAtTheStart() throws Exception {
        try (MachineTools.Mounted disk = MachineTools.tmpfs(directory.resolve("disk"), 4)) {
            RunDatabases place = RunDatabases.sqlite(disk.path());
            place.open().close();
            MachineTools.run("mount", "-o", "remount,ro", disk.path().toString());
            assertThatThrownBy(place::open)
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("cannot be written");
        }
    }

    @Test
    void b5_diskThatFillsAtEachWriteLosesNothingAndServesAgainWhenThereIsRoom() throws Exception {
        List<Answer<byte[]>> answers = new ArrayList<>();
        withFullDisks(16, ServiceBug.NONE, answers::add)
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
        assertThat(answers).as("answers of a full disk").containsNull();
    }

    @Test
    void b5_fullDiskThatIsTakenForACommitIsCaught() throws Exception {
        assertThat(withFullDisks(1, ServiceBug.IGNORES_FAILED_COMMITS, answer -> {})
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R5);
    }

    /**
     * The disk is larger than the log may grow before it is copied back, so that room comes back with the filler.
     *
     * @param times how often it fills; each time there are as many pages left
     * @param answers hears what a full disk answers
     */
    private Judgement withFullDisks(int times, ServiceBug flaw, Consumer<@Nullable Answer<byte[]>> answers)
            throws Exception {
        try (MachineTools.Mounted disk = MachineTools.tmpfs(directory.resolve("disk"), 64)) {
            RunDatabases place = new RunDatabases(
                    RunDatabases.sqlite(disk.path()).store(),
                    RunDatabases.sqlite(disk.path()).effects(),
                    RunDatabases.sqlite(directory).outside());
            place.prepare();
            try (InProcessService node = new InProcessService(place, directory, "node", flaw)) {
                for (int free = 0; free < times; free++) {
                    Path filler = MachineTools.fill(disk.path(), (long) free * PAGE);
                    for (int i = 0; i < 12; i++) {
                        answers.accept(node.ask(WorkKind.PAY, "k" + free + "-" + i));
                    }
                    Files.delete(filler);
                    for (int i = 0; i < 12; i++) {
                        node.askUntilFinal(new WorkKind.Item(WorkKind.PAY, "k" + free + "-" + i));
                    }
                }
            }
            return RunVerdict.judge(place, List.of(directory.resolve("node.history")));
        }
    }
}
