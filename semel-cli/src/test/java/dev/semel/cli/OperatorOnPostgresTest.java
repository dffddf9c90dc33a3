package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.State;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's commands on a real server. */
class OperatorOnPostgresTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        PrivatePostgres server = PrivatePostgres.shared();
        shop = SampleShop.at(server.url(server.freshDatabase()));
        shop.withOrders().withAParkedLane().withLostMails(3);
    }

    @Test
    void recordsAreListedShownAndExplained() {
        assertThat(run("ops", "list", "--state", "FAILED_TERMINAL").out().lines())
                .hasSize(6);
        String id = shop.mailRow("o-2").id().hex();
        assertThat(run("ops", "show", id.substring(0, 10)).out()).contains(id, "system.error", "\"token\":\"***\"");
        assertThat(run("ops", "tree", shop.row("order", "o-1").id().hex()).out())
                .contains("step pay", "mail/");
        assertThat(run("ops", "explain", shop.row("crm", "o-7/paid").id().hex()).out())
                .contains("behind its head");
    }

    @Test
    void deadLettersAreReplayedByAJob() {
        Shell shell = run("dead", "replay", "--category", "network", "--yes", "--reason", "the network is back");
        assertThat(shell.out()).contains(" finished: 3 dead letters replayed, 0 left.");
        assertThat(shop.mailRow("lost-1").state()).isEqualTo(State.QUEUED);
        shop.deliver();
        assertThat(shop.handled()).contains("lost-0", "lost-1", "lost-2").doesNotContain("o-2");
    }

    @Test
    void channelsAreListedPausedAndResumed() {
        assertThat(run("channels", "pause", "fax", "--reason", "no paper", "--even-if-unknown")
                        .exit())
                .isZero();
        List<String> lines = run("channels", "list").out().lines().toList();
        assertThat(lines.get(1)).matches("crm +2 .* 1 +0 +LIVE");
        assertThat(lines.get(2)).contains("fax", "no paper");
        assertThat(run("channels", "resume", "fax", "--reason", "paper").exit()).isZero();
        assertThat(run("channels", "list").out()).doesNotContain("fax");
    }

    @Test
    void auditIsReadAndDeliveriesAreCompared() throws Exception {
        assertThat(run("audit", "tail", "-n", "2").out().lines()).hasSize(2);
        assertThat(run("audit", "export").out().lines()).hasSizeGreaterThan(10);
        assertThat(run("retries", "--min-success-rate", "0.9").exit()).isEqualTo(1);
        Path file = Files.writeString(
                directory.resolve("delivered.jsonl"),
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-1\"}\n"
                        + "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-9\"}\n");
        assertThat(run("deliveries", "check", "--file", file.toString()).out())
                .containsPattern("MISSING +mail +acme +o-9");
    }

    private Shell run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return Shell.semel(all.toArray(String[]::new));
    }
}
