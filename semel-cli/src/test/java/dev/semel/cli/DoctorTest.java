package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.cli.Doctor.DoctorResult;
import dev.semel.store.Inspection.Guarantee;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DoctorTest {
    @Test
    void storeBelowClassBFailsUnlessALowerClassIsRequired() {
        Shell memory = semel("doctor", "--store", "memory:");
        assertThat(memory.exit()).isEqualTo(1);
        assertThat(memory.out()).contains("C, but B is required");
        assertThat(semel("doctor", "--store", "memory:", "--require", "C").exit())
                .isZero();
        assertThat(semel("doctor", "--store", "memory:", "--require", "c").exit())
                .isZero();
    }

    @Test
    void sqliteFileCreatedBySemelHasClassA(@TempDir Path directory) {
        String url = "sqlite:" + directory.resolve("ledger.db");
        Semel.open(url).close();
        Shell sqlite = semel("doctor", "--store", url, "--require", "A");
        assertThat(sqlite.err()).isEmpty();
        assertThat(sqlite.exit()).isZero();
        assertThat(sqlite.out()).containsPattern("(?m)^class +A$").doesNotContain("at most");
    }

    @Test
    void mistypedFileIsBadInputAndNoNewLedger(@TempDir Path directory) {
        Shell sqlite = semel("doctor", "--store", "sqlite:" + directory.resolve("ledgr.db"));
        assertThat(sqlite.exit()).isEqualTo(2);
        assertThat(sqlite.err()).contains("ledgr.db", "there is no ledger in this place");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void directoryThatIsNotThereIsBadInput(@TempDir Path directory) {
        Shell sqlite = semel("doctor", "--store", "sqlite:" + directory.resolve("nowhere/ledger.db"));
        assertThat(sqlite.exit()).isEqualTo(2);
        assertThat(sqlite.out()).isEmpty();
        assertThat(sqlite.err()).startsWith("semel: ").contains("nowhere");
    }

    @Test
    void resultIsAlsoJson() {
        Shell shell = semel("doctor", "--store", "memory:", "--require", "A", "--json");
        assertThat(shell.exit()).isEqualTo(1);
        JsonNode json = JsonMapper.shared().readTree(shell.out());
        assertThat(json.propertyNames()).containsExactly("store", "class", "required", "sufficient", "findings");
        assertThat(json.get("class").asString()).isEqualTo("C");
        assertThat(json.get("required").asString()).isEqualTo("A");
        assertThat(json.get("sufficient").asBoolean()).isFalse();
        assertThat(json.get("findings").get(0).propertyNames())
                .containsExactlyInAnyOrder("setting", "value", "limits", "advice");
    }

    @ParameterizedTest
    @CsvSource({
        "A, A, true",
        "A, B, true",
        "A, C, true",
        "B, A, false",
        "B, B, true",
        "B, C, true",
        "C, A, false",
        "C, B, false",
        "C, C, true"
    })
    void theClassFoundMustBeAtLeastTheOneAskedFor(Guarantee found, Guarantee required, boolean sufficient) {
        assertThat(new DoctorResult(new Facts(Map.of("class", found.name())), required).sufficient())
                .isEqualTo(sufficient);
    }

    @Test
    void settingsAreShownWithAdvice() {
        Facts found = new Facts(Map.of(
                "store",
                "postgresql://db/x",
                "class",
                "C",
                "findings",
                List.of(
                        Map.of("setting", "fsync", "value", "on", "limits", "A"),
                        Map.of(
                                "setting",
                                "synchronous_commit",
                                "value",
                                "off",
                                "limits",
                                "C",
                                "advice",
                                "Set it to on."))));
        StringWriter out = new StringWriter();
        new DoctorResult(found, Guarantee.A).print(new PrintWriter(out, true), Ansi.OFF);
        assertThat(out.toString()).isEqualToNormalizingNewlines("""
                store               postgresql://db/x
                class               C, but A is required
                fsync               on
                synchronous_commit  off
                                    at most class C: Set it to on.
                """);
    }

    @Test
    void unknownStoreIsBadInputThatNamesTheKnownForms() {
        Shell shell = semel("doctor", "--store", "memori:");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err())
                .contains("semel: store: no store opens 'memori:...' (did you mean memory:?); known are ");
    }

    @Test
    void storeMustBeGiven() {
        Shell shell = semel("doctor");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("--store");
    }

    @Test
    void unknownClassIsBadInput() {
        Shell shell = semel("doctor", "--store", "memory:", "--require", "D");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("'D'", "A, B, C");
    }
}
