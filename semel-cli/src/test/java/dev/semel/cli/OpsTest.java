package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.audit.EventType;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpsTest {
    @TempDir
    private Path directory;

    private SampleLedger ledger;

    @BeforeEach
    void keepALedger() {
        ledger = SampleLedger.in(directory);
        ledger.charge("k-1");
    }

    @Test
    void forgottenKeyIsNewAgainAndTheAuditSaysWhoAndWhy() {
        assertThat(ledger.charge("k-1")).isInstanceOf(Answer.Replayed.class);
        Shell shell = forget("charge", "--key", "k-1", "--actor", "nina");
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("charge (tenant acme): forgotten").doesNotContain("k-1");
        assertThat(ledger.charge("k-1")).isInstanceOf(Answer.Executed.class);
        assertThat(newest(EventType.OPERATOR_FORGOT).entry().body()).contains("nina", "a wrong amount", "COMPLETED");
    }

    @Test
    void actorIsTheUserOfTheSystemUnlessSaid() {
        assertThat(forget("charge", "--key", "k-1").exit()).isZero();
        assertThat(newest(EventType.OPERATOR_FORGOT).entry().body()).contains(System.getProperty("user.name"));
    }

    @Test
    void keyWithoutARecordIsAbsent() {
        Shell shell = forget("charge", "--key", "k-2");
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.err()).contains("no record of this key");
    }

    @Test
    void runningRecordIsRejected() {
        List<Shell> shells = new ArrayList<>();
        ledger.refund("r-1", () -> shells.add(forget("refund", "--key", "r-1")));
        assertThat(shells.get(0).exit()).isEqualTo(1);
        assertThat(shells.get(0).err()).contains("is IN_PROGRESS: it cannot be forgotten now");
    }

    @Test
    void keyMayComeFromAFile() throws Exception {
        Path file = Files.writeString(directory.resolve("key"), "k-1\n");
        assertThat(forget("charge", "--key-file", file.toString()).exit()).isZero();
        assertThat(ledger.charge("k-1")).isInstanceOf(Answer.Executed.class);
    }

    @Test
    void keyMayComeFromStandardInput() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("k-1\r\n".getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(forget("charge", "--key-file", "-").exit()).isZero();
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void keyFileThatCannotBeReadIsBadInput() throws Exception {
        Shell missing =
                forget("charge", "--key-file", directory.resolve("nothing").toString());
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("nothing", "Reading failed");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
        Shell noText = forget("charge", "--key-file", binary.toString());
        assertThat(noText.exit()).isEqualTo(2);
        assertThat(noText.err()).contains("is not UTF-8 text");
    }

    @Test
    void emptyAndTooLongKeysAreBadInput() throws Exception {
        Shell none = forget("charge", "--key", "");
        assertThat(none.exit()).isEqualTo(2);
        assertThat(none.err()).contains("The key is empty: it must have 1 to 255 characters");
        Shell many = forget("charge", "--key", "k".repeat(10_000));
        assertThat(many.exit()).isEqualTo(2);
        assertThat(many.err()).contains("The key has 10000 characters: at most 255");
        Path file = Files.writeString(directory.resolve("key"), "k".repeat(10_000));
        assertThat(forget("charge", "--key-file", file.toString()).err()).contains("The key has 10000 characters");
    }

    @Test
    void contradictoryOrMissingOptionsAreBadInput() {
        assertThat(forget("charge", "--key", "a", "--key-file", "b").exit()).isEqualTo(2);
        assertThat(forget("charge").err()).contains("--key");
        assertThat(forget("", "--key", "a").err()).contains("The operation name is empty");
        Shell unreasoned = semel(
                "ops",
                "forget",
                "--store",
                ledger.url(),
                "--tenant=acme",
                "--operation=charge",
                "--key=k",
                "--reason= ");
        assertThat(unreasoned.exit()).isEqualTo(2);
        assertThat(unreasoned.err()).contains("needs a name and a reason");
        assertThat(semel("ops").err()).contains("forget");
    }

    private Shell forget(String operation, String... more) {
        List<String> args = new ArrayList<>(List.of("ops", "forget", "--store", ledger.url(), "--tenant", "acme"));
        args.addAll(List.of("--operation", operation, "--reason", "a wrong amount"));
        args.addAll(List.of(more));
        return semel(args.toArray(String[]::new));
    }

    private AuditRow newest(EventType type) {
        try (Store store = Stores.open(ledger.url(), StoreProvider.Options.EXISTING)) {
            return store.audit().newest(AuditFilter.ALL, 10).stream()
                    .filter(row -> row.entry().type() == type.code())
                    .findFirst()
                    .orElseThrow();
        }
    }
}
