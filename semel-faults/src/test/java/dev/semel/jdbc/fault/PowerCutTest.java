package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * B3: power cuts. The ledger is on a disk image of its own; what was written and not synced is in the memory of the file
 * system above it. So a copy of the image, taken while the application stands still, is the disk after a power cut.
 */
@Timeout(900)
class PowerCutTest {
    private static final int CUTS = Boolean.getBoolean("semel.campaign") ? 300 : 20;
    private static final int MOST_CALLS = 30;

    @TempDir
    private Path directory;

    /** On a disk that is not cut off. */
    @BeforeEach
    void trainTheWorkers() throws Exception {
        Path training = Files.createDirectory(directory.resolve("training"));
        new KillCampaign(RunDatabases.sqlite(training), training).prepare();
    }

    @Test
    void b3_nothingAcknowledgedIsLostAtAPowerCut() throws Exception {
        Path blank = blankDisk();
        Set<Rule> judged = EnumSet.noneOf(Rule.class);
        for (int i = 0; i < CUTS; i++) {
            Judgement judgement = cut(blank, i, ServiceBug.NONE);
            judgement.assertHolds();
            // One may come too early for some of them.
            judged.addAll(judgement.judged());
        }
        assertThat(judged).contains(Rule.R1, Rule.R2, Rule.R3, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    @Test
    void b3_ledgerThatSyncsLessLosesAcknowledgedWorkAndIsCaught() throws Exception {
        Path blank = blankDisk();
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            caught += cut(blank, i, ServiceBug.SYNCS_LESS).holds() ? 0 : 1;
        }
        assertThat(caught).isPositive();
    }

    private Path blankDisk() throws IOException, InterruptedException, java.sql.SQLException {
        Path image = directory.resolve("blank.img");
        MachineTools.demand("truncate", "-s", "24M", image.toString());
        MachineTools.demand("mkfs.ext4", "-q", "-F", image.toString());
        Path at = directory.resolve("blank");
        try (MachineTools.Mounted disk = MachineTools.image(image, at)) {
            place(disk.path(), directory).prepare();
        }
        return image;
    }

    private static RunDatabases place(Path disk, Path directory) {
        RunDatabases onDisk = RunDatabases.sqlite(disk);
        return new RunDatabases(
                onDisk.store(), onDisk.effects(), RunDatabases.sqlite(directory).outside());
    }

    private Judgement cut(Path blank, int number, ServiceBug flaw) throws Exception {
        Path own = Files.createDirectory(directory.resolve("cut" + number));
        Path image = own.resolve("disk.img");
        Path copy = own.resolve("copy.img");
        Path at = own.resolve("disk");
        MachineTools.run("cp", "--sparse=always", blank.toString(), image.toString());
        RunDatabases place = place(at, own);
        KillCampaign campaign = new KillCampaign(place, own);
        try (MachineTools.Mounted disk = MachineTools.image(image, at)) {
            place.prepare();
            MachineTools.run("sync", "-f", disk.path().toString());
            Process worker = campaign.start("w", number, Integer.MAX_VALUE, flaw);
            try {
                for (int calls = new SplittableRandom(number).nextInt(5, MOST_CALLS); calls > 0; calls--) {
                    assertThat(worker.getInputStream().read())
                            .as(Files.readString(own.resolve("w.log")))
                            .isEqualTo(1);
                }
                stop(worker.pid());
                MachineTools.run("cp", "--sparse=always", image.toString(), copy.toString());
            } finally {
                worker.destroyForcibly();
                worker.waitFor();
            }
        }
        Files.delete(image);
        try (MachineTools.Mounted disk = MachineTools.image(copy, at)) {
            assertThat(disk.path()).isNotEmptyDirectory();
            return campaign.finishAndJudge();
        }
    }

    /** Returns when every thread stands still: what one of them was syncing is synced by then. */
    private static void stop(long pid) throws IOException, InterruptedException {
        MachineTools.run("kill", "-STOP", Long.toString(pid));
        boolean still = false;
        while (!still) {
            try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
                still = true;
                for (Path thread : threads.toList()) {
                    String stat = Files.readString(thread.resolve("stat"));
                    still &= stat.substring(stat.lastIndexOf(')') + 2).startsWith("T");
                }
            }
        }
    }
}
