package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** Once, and from then on for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"20", "35", "20+"})
    void b4_aSyncThatFailsIsNeverTakenForACommit(String when) throws Exception {
        Machine.demand("strace", "-V");
        Place place = Place.sqlite(directory);
        place.prepare();
        Path log = directory.resolve("w.log");
        Path injected = directory.resolve("strace.log");
        Path history = directory.resolve("w.history");
        Worker.Order.Range range = new Worker.Order.Range(7, 0, 40, 40);
        Worker.Order order = new Worker.Order(place, history, "w", range, Flaw.NONE);
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
        new Campaign(place, directory)
                .finishAndJudge()
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    @Test
    void b6_aReadOnlyFileSystemIsAClearErrorAtTheStart() throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 4)) {
            Place place = Place.sqlite(disk.path());
            place.open().close();
            Machine.run("mount", "-o", "remount,ro", disk.path().toString());
            assertThatThrownBy(place::open)
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("cannot be written");
        }
    }

    /** The disk is larger than the log may grow before it is copied back, so that room comes back with the filler. */
    @Test
    void b5_aDiskThatFillsAtEachWriteLosesNothingAndServesAgainWhenThereIsRoom() throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 64)) {
            Place place = new Place(
                    Place.sqlite(disk.path()).store(),
                    Place.sqlite(disk.path()).effects(),
                    Place.sqlite(directory).outside());
            place.prepare();
            int refused = 0;
            try (Node node = new Node(place, directory, "node")) {
                for (int free = 0; free < 16; free++) {
                    Path filler = Machine.fill(disk.path(), (long) free * PAGE);
                    for (int i = 0; i < 12; i++) {
                        refused += node.ask(Work.PAY, "k" + free + "-" + i) == null ? 1 : 0;
                    }
                    Files.delete(filler);
                    for (int i = 0; i < 12; i++) {
                        node.askUntilFinal(new Work.Item(Work.PAY, "k" + free + "-" + i));
                    }
                }
            }
            assertThat(refused).as("calls that met a full disk").isPositive();
            Judge.judge(place, List.of(directory.resolve("node.history")))
                    .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
        }
    }
}
