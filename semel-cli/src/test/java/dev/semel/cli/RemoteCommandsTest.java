package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import dev.semel.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands do the same on a server as on its store. */
class RemoteCommandsTest {
    @TempDir
    private Path directory;

    private SampleShop shop;
    private SampleServer server;
    private final AtomicReference<Supplier<ServerConfig>> file = new AtomicReference<>();

    @BeforeEach
    void start() throws Exception {
        shop = SampleShop.in(directory)
                .withOrders()
                .withAParkedLane()
                .withLostMails(3)
                .withADoubtfulFax();
        server = SampleServer.start(shop.url(), directory, () -> file.get().get());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Shell onStore(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return semel(all.toArray(String[]::new));
    }

    /** Without what depends on the time of day. */
    private static String steady(String text) {
        return text.replaceAll("\\d+ (ms|s|min|h|d)( \\d+ (s|min|h))?", "TIME")
                .replaceAll("(_ms\\D{0,4})-?\\d+", "$1TIME")
                .replaceAll(" +", " ");
    }

    static Stream<List<String>> readings() {
        return Stream.of(
                List.of("ops", "list"),
                List.of("ops", "list", "--state", "FAILED_TERMINAL", "--limit", "2"),
                List.of("ops", "list", "--tenant", "nobody"),
                List.of("ops", "list", "--json"),
                List.of("ops", "show", "MAIL"),
                List.of("ops", "show", "MAIL", "--json"),
                List.of("ops", "show", "--tenant", "acme", "--operation", "order", "--key", "o-1"),
                List.of("ops", "show", "000000000000"),
                List.of("ops", "explain", "CRM"),
                List.of("ops", "tree", "--tenant", "acme", "--operation", "order", "--key", "o-1"),
                List.of("ops", "status", "MAIL"),
                List.of("ops", "status", "--tenant", "acme", "--correlation", "c-lost-1"),
                List.of("ops", "status", "--tenant", "acme", "--correlation", "none"),
                List.of("ops", "diff"),
                List.of("dead", "list"),
                List.of("dead", "groups"),
                List.of("dead", "groups", "--json"),
                List.of("dead", "replay", "--all", "--unknown", "--preview"),
                List.of("dead", "replay", "MAIL", "--preview"),
                List.of("channels", "list"),
                List.of("mode", "get"),
                List.of("audit", "tail", "-n", "500"),
                List.of("audit", "tail", "-n", "3", "--json"),
                List.of("audit", "export"),
                List.of("audit", "export", "--format", "csv", "--type", "system.error"),
                List.of("audit", "replay-decisions"),
                List.of("retries"),
                List.of("retries", "--max-per-minute", "1"),
                List.of("retries", "--advise"),
                List.of("retries", "--min-success-rate", "0.5", "--json"),
                List.of("doctor"),
                List.of("doctor", "--json"));
    }

    private String[] args(List<String> template) {
        return template.stream()
                .map(each -> each.equals("MAIL")
                        ? shop.mailRow("lost-1").id().prefix()
                        : each.equals("CRM") ? shop.row("crm", "o-7/paid").id().prefix() : each)
                .toArray(String[]::new);
    }

    @Test
    void readingCommandsPrintTheSameForAServerAsForItsStore() {
        readings().forEach(template -> {
            Shell local = onStore(args(template));
            Shell remote = server.by("root", args(template));
            assertThat(steady(remote.out())).as(template.toString()).isEqualTo(steady(local.out()));
            assertThat(steady(remote.err())).as(template.toString()).isEqualTo(steady(local.err()));
            assertThat(remote.exit()).as(template.toString()).isEqualTo(local.exit());
        });
    }

    @Test
    void auditIsVerifiedByTheServer() {
        Shell verified = server.by("root", "audit", "verify");
        assertThat(verified.exit()).as(verified.err()).isZero();
        assertThat(verified.out()).contains("intact");
    }

    @Test
    void deliveriesAreCheckedByTheServer() throws Exception {
        Path list = Files.writeString(
                directory.resolve("list.jsonl"),
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"lost-1\"}\n"
                        + "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"never\"}\n");
        Shell local = onStore("deliveries", "check", "--file", list.toString());
        Shell remote = server.by("root", "deliveries", "check", "--file", list.toString());
        assertThat(remote).isEqualTo(local);
        assertThat(remote.exit()).isEqualTo(1);
    }

    @Test
    void actionsAreCarriedOutByTheServerUnderTheNameOfTheToken() {
        String mail = shop.mailRow("lost-1").id().prefix();
        Shell replayed = server.by("root", "dead", "replay", mail, "--reason", "mended");
        assertThat(replayed.exit()).as(replayed.err()).isZero();
        assertThat(replayed.out()).contains(": replayed; the next free worker runs it.");
        assertThat(server.by("root", "dead", "replay", mail, "--reason", "mended")
                        .out())
                .contains("was already replayed");
        String other = shop.mailRow("lost-2").id().prefix();
        assertThat(server.by("root", "dead", "discard", other, "--reason", "no use")
                        .out())
                .contains(": discarded;");
        assertThat(server.by("root", "ops", "cancel", mail, "--reason", "no use")
                        .out())
                .contains(": cancelled;");
        assertThat(server.by("root", "channels", "pause", "mail", "--reason", "r")
                        .out())
                .contains("mail is paused;");
        assertThat(server.by("root", "channels", "resume", "mail", "--reason", "r")
                        .out())
                .contains("mail is resumed.");
        assertThat(server.by("root", "channels", "resume", "mail", "--reason", "r")
                        .exit())
                .isEqualTo(1);
        assertThat(server.by("root", "mode", "set", "HALTED", "--operation", "mail", "--wait", "--reason", "r")
                        .out())
                .isEqualTo("mail is HALTED on every node." + System.lineSeparator());
        assertThat(server.by(
                                "root",
                                "ops",
                                "forget",
                                "--tenant",
                                "acme",
                                "--operation",
                                "order",
                                "--key",
                                "o-1",
                                "--reason",
                                "r")
                        .out())
                .contains("forgotten; the next call with this key runs.");
        assertThat(onStore("audit", "tail", "-n", "200", "--type", "operator.replayed")
                        .out())
                .contains("actor=root");
    }

    @Test
    void manyAreReplayedByTheNodesOfTheServer() {
        Shell replayed = server.by("root", "dead", "replay", "--category", "network", "--yes", "--reason", "mended");
        assertThat(replayed.exit()).as(replayed.toString()).isZero();
        assertThat(replayed.out()).contains("finished: 3 dead letters replayed, 0 left.");
        shop.deliver();
        assertThat(shop.handled()).contains("lost-0", "lost-1", "lost-2");
    }

    @Test
    void reloadTakesTheFileIntoUseOrPrintsAllFaults() {
        file.set(() -> SampleServer.config(shop.url()));
        Shell done = server.by("root", "reload", "--reason", "new route");
        assertThat(done.exit()).as(done.err()).isZero();
        assertThat(done.out()).contains("The changed configuration is in use.");
        file.set(() -> {
            throw new SemelException.Misconfigured("semel.yaml", List.of("3:1: no such key", "9:5: no such policy"));
        });
        Shell rejected = server.by("root", "reload", "--reason", "new route");
        assertThat(rejected.exit()).isEqualTo(1);
        assertThat(rejected.err()).contains("rejected", "3:1: no such key", "9:5: no such policy");
        assertThat(onStore("reload", "--reason", "r").err()).contains("A store has no configuration to reload");
    }

    @Test
    void h4_commandsShowNothingOfAnotherTenant() {
        assertThat(server.by("olga", "ops", "list").out()).contains("No record matches.");
        assertThat(server.by("olga", "ops", "show", shop.mailRow("lost-1").id().hex())
                        .exit())
                .isEqualTo(1);
        assertThat(server.by("olga", "audit", "export").out()).isEmpty();
        Shell other = server.by("olga", "dead", "list", "--tenant", "acme");
        assertThat(other.exit()).isEqualTo(2);
        assertThat(other.out()).isEmpty();
    }

    @Test
    void viewerIsToldWhichRoleAnActionNeeds() {
        Shell denied = server.by("vera", "channels", "pause", "mail", "--reason", "r");
        assertThat(denied.exit()).isEqualTo(2);
        assertThat(denied.err()).contains("needs the role operator");
    }

    @Test
    void mistakesInTheConnectionAreNamed() throws Exception {
        String url = server.server().uri().toString();
        assertThat(semel(
                                "ops",
                                "list",
                                "--url",
                                url,
                                "--token-file",
                                directory.resolve("none").toString())
                        .err())
                .contains("Reading the token file");
        Path wrong = Files.writeString(directory.resolve("wrong"), "nonsense");
        Shell unauthenticated = semel("ops", "list", "--url", url, "--token-file", wrong.toString());
        assertThat(unauthenticated.exit()).isEqualTo(2);
        assertThat(unauthenticated.err()).contains("not authenticated").doesNotContain("nonsense");
        String token = server.tokenFile("root");
        assertThat(semel("ops", "list", "--url", url, "--store", shop.url()).err())
                .contains("exclude each other");
        assertThat(semel("ops", "list", "--url", "ftp://x", "--token-file", token)
                        .err())
                .contains("--url is invalid");
        Shell nobody = semel("ops", "list", "--url", "http://127.0.0.1:1", "--token-file", token);
        assertThat(nobody.exit()).isEqualTo(3);
        assertThat(nobody.err()).contains("No connection");
        Shell actor = server.by("root", "channels", "pause", "mail", "--reason", "r", "--actor", "somebody");
        assertThat(actor.exit()).isEqualTo(2);
        assertThat(actor.err()).contains("--actor and --url exclude each other");
    }
}
