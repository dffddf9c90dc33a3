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
        withFailingSyncs(when, 40, Flaw.NONE)
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    /** Sooner than above and with more keys, so that much is asked for the first time after it. */
    @Test
    void b4_syncThatFailsAndIsTakenForACommitIsCaught() throws Exception {
        assertThat(withFailingSyncs("14+", 400, Flaw.IGNORES_FAILED_COMMITS).violations())
                .extracting(Violation::rule)
                .contains(Rule.R5);
    }

    private Judgement withFailingSyncs(String when, int keys, Flaw flaw) throws Exception {
        Machine.demand("strace", "-V");
        Place place = Place.sqlite(directory);
        place.prepare();
        Path log = directory.resolve("w.log");
        Path injected = directory.resolve("strace.log");
        Path history = directory.resolve("w.history");
        Worker.Order.Range range = new Worker.Order.Range(7, 0, keys, 40);
        Worker.Order order = new Worker.Order(place, history, "w", range, flaw);
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
        Jvms.await(Jvms.shared().startUnder(strace, Worker.class, log, order.arguments()), log);
        assertThat(Files.readString(injected)).contains("(INJECTED)");
        return new Campaign(place, directory).finishAndJudge();
    }

    @Test
    void b6_readOnlyFileSystemIsAClearErrorAtTheStart() throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 4)) {
            Place place = Place.sqlite(disk.path());
            place.open().close();
            Machine.run("mount", "-o", "remount,ro", disk.path().toString());
            assertThatThrownBy(place::open)
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("cannot be written");
        }
    }

    @Test
    void b5_diskThatFillsAtEachWriteLosesNothingAndServesAgainWhenThereIsRoom() throws Exception {
        List<Answer<byte[]>> answers = new ArrayList<>();
        withFullDisks(16, Flaw.NONE, answers::add)
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
        assertThat(answers).as("answers of a full disk").containsNull();
    }

    @Test
    void b5_fullDiskThatIsTakenForACommitIsCaught() throws Exception {
        assertThat(withFullDisks(1, Flaw.IGNORES_FAILED_COMMITS, answer -> {}).violations())
                .extracting(Violation::rule)
                .contains(Rule.R5);
    }

    /**
     * The disk is larger than the log may grow before it is copied back, so that room comes back with the filler.
     *
     * @param times how often it fills; each time there are as many pages left
     * @param answers hears what a full disk answers
     */
    private Judgement withFullDisks(int times, Flaw flaw, Consumer<@Nullable Answer<byte[]>> answers) throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 64)) {
            Place place = new Place(
                    Place.sqlite(disk.path()).store(),
                    Place.sqlite(disk.path()).effects(),
                    Place.sqlite(directory).outside());
            place.prepare();
            try (Node node = new Node(place, directory, "node", flaw)) {
                for (int free = 0; free < times; free++) {
                    Path filler = Machine.fill(disk.path(), (long) free * PAGE);
                    for (int i = 0; i < 12; i++) {
                        answers.accept(node.ask(Work.PAY, "k" + free + "-" + i));
                    }
                    Files.delete(filler);
                    for (int i = 0; i < 12; i++) {
                        node.askUntilFinal(new Work.Item(Work.PAY, "k" + free + "-" + i));
                    }
                }
            }
            return Judge.judge(place, List.of(directory.resolve("node.history")));
        }
    }
}
