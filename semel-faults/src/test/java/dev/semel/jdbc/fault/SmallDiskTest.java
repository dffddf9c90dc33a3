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
        try (MachineTools.Mounted disk = MachineTools.tmpfs(directory.resolve("disk"), 8)) {
            RunDatabases place = place(disk);
            place.prepare();
            try (InProcessService node = new InProcessService(place, directory, "node", ServiceBug.NONE)) {
                for (int i = 0; i < CALLS; i++) {
                    assertThat(node.ask(WorkKind.PAY, "k" + i)).as("call " + i).isNotNull();
                }
            }
            judge(place);
        }
    }

    @Test
    void diskThatIsFullServesAgainWithTheFirstRoomThereIs() throws Exception {
        try (MachineTools.Mounted disk = MachineTools.tmpfs(directory.resolve("disk"), 8)) {
            RunDatabases place = place(disk);
            place.prepare();
            try (InProcessService node = new InProcessService(place, directory, "node", ServiceBug.NONE)) {
                Path filler = MachineTools.fill(disk.path(), 512 * 1024);
                int answered = 0;
                while (node.ask(WorkKind.PAY, "k" + answered) != null && answered < CALLS) {
                    answered++;
                }
                assertThat(answered).as("calls before the disk was full").isLessThan(CALLS);
                try (var channel = Files.newByteChannel(filler, StandardOpenOption.WRITE)) {
                    channel.truncate(Files.size(filler) - 512 * 1024);
                }
                for (int i = answered; i < answered + 100; i++) {
                    node.askUntilFinal(new WorkKind.Item(WorkKind.PAY, "k" + i));
                }
            }
            judge(place);
        }
    }

    private RunDatabases place(MachineTools.Mounted disk) {
        return new RunDatabases(
                RunDatabases.sqlite(disk.path()).store(),
                RunDatabases.sqlite(disk.path()).effects(),
                RunDatabases.sqlite(directory).outside());
    }

    private void judge(RunDatabases place) throws Exception {
        RunVerdict.judge(place, List.of(directory.resolve("node.history")))
                .assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }
}
