package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is smaller than SQLite's log would like to be. */
@Timeout(300)
class SmallDiskTest {
    private static final int CALLS = 1_000;

    @TempDir
    private Path directory;

    /** Each call adds some 20 KB to the log: without being copied back it would need more than twice the disk. */
    @Test
    void logIsCopiedBackBeforeItFillsASmallDisk() throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 8)) {
            Place place = place(disk);
            place.prepare();
            try (Node node = new Node(place, directory, "node", Flaw.NONE)) {
                for (int i = 0; i < CALLS; i++) {
                    assertThat(node.ask(Work.PAY, "k" + i)).as("call " + i).isNotNull();
                }
            }
            judge(place);
        }
    }

    @Test
    void diskThatIsFullServesAgainWithTheFirstRoomThereIs() throws Exception {
        try (Machine.Mounted disk = Machine.tmpfs(directory.resolve("disk"), 8)) {
            Place place = place(disk);
            place.prepare();
            try (Node node = new Node(place, directory, "node", Flaw.NONE)) {
                Path filler = Machine.fill(disk.path(), 512 * 1024);
                int answered = 0;
                while (node.ask(Work.PAY, "k" + answered) != null && answered < CALLS) {
                    answered++;
                }
                assertThat(answered).as("calls before the disk was full").isLessThan(CALLS);
                try (var channel = Files.newByteChannel(filler, StandardOpenOption.WRITE)) {
                    channel.truncate(Files.size(filler) - 512 * 1024);
                }
                for (int i = answered; i < answered + 100; i++) {
                    node.askUntilFinal(new Work.Item(Work.PAY, "k" + i));
                }
            }
            judge(place);
        }
    }

    private Place place(Machine.Mounted disk) {
        return new Place(
                Place.sqlite(disk.path()).store(),
                Place.sqlite(disk.path()).effects(),
                Place.sqlite(directory).outside());
    }

    private void judge(Place place) throws Exception {
        Judge.judge(place, List.of(directory.resolve("node.history")))
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }
}
