package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AuditTest {
    @TempDir
    private Path directory;

    private SampleLedger ledger;

    @BeforeEach
    void keepAnAudit() {
        ledger = SampleLedger.in(directory);
        ledger.charge("k-1");
        ledger.charge("k-2");
        ledger.seal();
        ledger.charge("k-3");
        ledger.seal();
        ledger.charge("k-4");
    }

    @Test
    void intactAuditIsCountedAndAnchored() {
        Shell shell = verify();
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        assertThat(shell.out())
                .containsPattern("(?m)^store +sqlite:.*orders.db$")
                .containsPattern("(?m)^audit +intact$")
                .containsPattern("(?m)^seals +2$")
                .containsPattern("(?m)^events +3 sealed, 1 not sealed yet$")
                .containsPattern("(?m)^anchor +2:[0-9a-f]{64}$");
    }

    @Test
    void resultIsAlsoJson() {
        JsonNode json = json();
        assertThat(json.propertyNames())
                .containsExactlyInAnyOrder("store", "intact", "seals", "events", "unsealed", "anchor", "damage");
        assertThat(json.get("intact").asBoolean()).isTrue();
        assertThat(json.get("events").asInt()).isEqualTo(3);
        assertThat(json.get("damage").isNull()).isTrue();
    }

    @Test
    void changedEventIsNamed() throws Exception {
        ledger.tamper("UPDATE semel_audit SET tenant = 'other' WHERE seq = 2");
        Shell shell = verify();
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out())
                .containsPattern("(?m)^audit +damaged: Event 2 was changed after seal 1 was made\\.$")
                .doesNotContain("anchor");
        assertThat(json().at("/damage/kind").asString()).isEqualTo("CHANGED");
        assertThat(json().at("/damage/event").asLong()).isEqualTo(2);
    }

    @Test
    void removedEventIsNamed() throws Exception {
        ledger.tamper("DELETE FROM semel_audit WHERE seq = 1");
        Shell shell = verify();
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out()).contains("damaged: Event 1 was removed");
    }

    @Test
    void insertedEventIsNamed() throws Exception {
        ledger.tamper("INSERT INTO semel_audit (seq, at, type, tenant, fence, attempt) VALUES (0, 1, 1, 'acme', 1, 1)");
        Shell shell = verify();
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out()).contains("damaged: Event 0 was inserted");
    }

    @Test
    void removedTailIsDetectedWithAnEarlierAnchor() throws Exception {
        String anchor = json().get("anchor").asString();
        assertThat(verify("--anchor", anchor).exit()).isZero();
        assertThat(verify("--anchor", anchor.toUpperCase(Locale.ROOT)).exit()).isZero();
        ledger.tamper("DELETE FROM semel_seal WHERE number = 2");
        ledger.tamper("DELETE FROM semel_audit WHERE seq > 2");
        assertThat(verify().exit()).isZero();
        Shell shell = verify("--anchor", anchor);
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out()).contains("damaged: No seal is " + anchor);
    }

    @Test
    void invalidAnchorIsBadInput() {
        Shell shell = verify("--anchor", "2:short");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("'2:short'", "64 hexadecimal digits");
    }

    @Test
    void missingSubcommandListsTheSubcommands() {
        Shell shell = semel("audit");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("verify", "Try 'semel audit --help'.");
    }

    private JsonNode json() {
        return JsonMapper.shared().readTree(verify("--json").out());
    }

    private Shell verify(String... more) {
        String[] args = new String[4 + more.length];
        System.arraycopy(new String[] {"audit", "verify", "--store", ledger.url()}, 0, args, 0, 4);
        System.arraycopy(more, 0, args, 4, more.length);
        return semel(args);
    }
}
