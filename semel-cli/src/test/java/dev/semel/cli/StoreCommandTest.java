package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.OrdinaryUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCommandTest {
    @TempDir
    private Path directory;

    @Test
    void adoptRaisesTheEpochAndMakesRunsUnknown() {
        SampleLedger ledger = SampleLedger.in(directory);
        List<Shell> shells = new ArrayList<>();
        ledger.refund("r-1", () -> shells.add(adopt(ledger.url())));
        assertThat(shells.get(0).err()).isEmpty();
        assertThat(shells.get(0).exit()).isZero();
        assertThat(shells.get(0).out()).contains("adopted: epoch 2; runs that became UNKNOWN: 1.");
    }

    @Test
    void olderCopyIsRejectedUntilItIsAdopted() throws Exception {
        SampleLedger ledger = SampleLedger.in(directory);
        Path copy = directory.resolve("copy");
        Files.copy(ledger.file(), copy);
        ledger.charge("k-1");
        Files.move(copy, ledger.file(), StandardCopyOption.REPLACE_EXISTING);
        Shell refused = semel("doctor", "--store", ledger.url());
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("an older copy was put in the place of the ledger", "semel store adopt");
        assertThat(adopt(ledger.url()).exit()).isZero();
        assertThat(semel("doctor", "--store", ledger.url()).exit()).isZero();
    }

    @Test
    void mistypedFileIsBadInputAndNoNewLedger() {
        Shell shell = adopt("sqlite:" + directory.resolve("ordrs.db"));
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("ordrs.db", "there is no ledger in this place");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void storeThatIsNewerThanTheCodeIsBadInput() throws Exception {
        SampleLedger ledger = SampleLedger.in(directory);
        ledger.tamper("UPDATE semel_meta SET version = 99");
        Shell shell = adopt(ledger.url());
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("its schema is version 99, newer than", "nothing was changed");
    }

    @Test
    void fileThatIsNotADatabaseIsBadInput() throws Exception {
        Path file = Files.writeString(directory.resolve("notes.txt"), "milk, bread");
        Shell shell = semel("audit", "verify", "--store", "sqlite:" + file);
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("notes.txt", "is not a SQLite database");
        assertThat(file).hasContent("milk, bread");
    }

    @Test
    void missingDirectoryIsBadInput() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");
        Shell shell = semel("doctor", "--store", "sqlite:" + file.resolve("orders.db"));
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("does not exist or is not a directory");
    }

    /** Tells what a command printed and how it ended. */
    public static final class Told {
        private Told() {}

        public static void main(String[] args) {
            Shell shell = semel(args);
            System.out.println(shell.err() + "exit code " + shell.exit());
        }
    }

    /** By somebody who is not root, because root may write anywhere. */
    @Test
    void directoryThatCannotBeWrittenIsBadInput(@TempDir Path scratch) throws Exception {
        SampleLedger ledger = SampleLedger.in(directory);
        for (Path each : List.of(directory, scratch)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        OrdinaryUser user = OrdinaryUser.in(scratch);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThat(user.run(Told.class, "doctor", "--store", ledger.url()))
                    .contains(directory.toString(), "cannot be written by " + user.name(), "exit code 2");
        } finally {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void missingSubcommandListsTheSubcommands() {
        assertThat(semel("store").exit()).isEqualTo(2);
        assertThat(semel("store").err()).contains("adopt");
    }

    private static Shell adopt(String url) {
        return semel("store", "adopt", "--store", url, "--reason", "restored last night's copy");
    }
}
