package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.operator.Operator.Warrant;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code semel destinations} and {@code semel routes fill} do the same on a server as on its store. */
@Timeout(180)
class RemoteDeliveriesTest {
    private static final int WEBHOOKS = 12;

    @TempDir
    private Path directory;

    private SampleRoutes routes;
    private SampleServer server;

    /** Of the destinations of the configuration nothing is delivered while a test looks; of another one the ledger knows an attempt. */
    @BeforeEach
    void start() throws Exception {
        routes = SampleRoutes.in(directory, "sqlite:" + directory.resolve("ledger.db"), WEBHOOKS);
        Channel.Leased<String> old = Channel.leased("destination.old", String.class);
        try (Engine engine =
                EngineSettings.at(routes.store()).withoutBackground().open()) {
            engine.handle(old, (payload, run) -> {
                run.note("took_ms", 31);
                run.note("http_status", 204);
                run.note("answer", "thanks");
            });
            engine.send(old, Message.of(Tenant.of("acme"), Key.of("a"), "{}"));
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
            for (String name : List.of("app", "crm")) {
                engine.operator().pause("destination." + name, null, new Warrant("ops", "being moved"));
            }
        }
        serve();
    }

    private void serve() throws Exception {
        server = SampleServer.start(
                ConfigFile.read(routes.file(), Secrets.ofProcess()).config(), routes.store(), directory);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Shell onStore(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--store", routes.store()));
        if (args[0].equals("routes")) {
            all.addAll(List.of("--file", routes.file().toString()));
        }
        return Shell.semel(all.toArray(String[]::new));
    }

    @Test
    void readingCommandsPrintTheSameForAServerAsForItsStore() {
        for (List<String> each : List.of(
                List.of("destinations", "list"),
                List.of("destinations", "list", "--json"),
                List.of("destinations", "show", "old"),
                List.of("destinations", "show", "old", "-n", "1", "--json"),
                List.of("destinations", "show", "crm"),
                List.of("destinations", "show", "none"),
                List.of("destinations", "show", "Not a name"),
                List.of("destinations", "show", "old", "-n", "0"),
                List.of("routes", "fill", "--from", "shop", "--to", "crm", "--preview"),
                List.of("routes", "fill", "--from", "shop", "--to", "crm", "--preview", "--since", "1h", "--json"),
                List.of("routes", "fill", "--from", "shop", "--to", "none", "--preview"),
                List.of("routes", "fill", "--from", "shop", "--to", "crm", "--reason", "r"),
                List.of("routes", "fill", "--resume", "fill-1"),
                List.of("routes", "fill", "--from", "shop", "--to", "app", "--reason", "r"))) {
            String[] args = each.toArray(String[]::new);
            Shell local = onStore(args);
            Shell remote = server.by("root", args);
            assertThat(remote).as(each.toString()).isEqualTo(local);
        }
        assertThat(server.by("root", "destinations", "show", "old").out()).contains("HTTP 204", "31 ms", "thanks");
        assertThat(routes.filled()).isEmpty();
    }

    @Test
    void fillIsCarriedOutByTheNodesOfTheServerUnderTheNameOfTheToken() {
        Shell filled =
                server.by("root", "routes", "fill", "--from", "shop", "--to", "crm", "--yes", "--reason", "crm is new");
        assertThat(filled.exit()).as(filled.toString()).isZero();
        assertThat(filled.out()).containsPattern("fill-\\S+ finished: 12 messages sent, 0 left\\.");
        assertThat(routes.filled())
                .isEqualTo(IntStream.rangeClosed(1, WEBHOOKS).boxed().toList());
        assertThat(onStore("audit", "tail", "-n", "200", "--type", "operator.replayed")
                        .out())
                .contains("actor=root")
                .contains("crm is new");
        Shell empty = server.by("root", "routes", "fill", "--from", "shop", "--to", "crm", "--reason", "again");
        assertThat(empty.exit()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(empty.err()).contains("Nothing is left to send from shop to crm");
    }

    @Test
    void fillThatWasOnlyStartedIsResumedByItsName() {
        server.by("root", "channels", "pause", "semel.fills", "--even-if-unknown", "--reason", "r");
        Shell started = server.by(
                "root", "routes", "fill", "--from", "shop", "--to", "crm", "--yes", "--detach", "--reason", "r");
        assertThat(started.exit()).as(started.toString()).isZero();
        assertThat(started.out()).containsPattern("fill-\\S+ has started with 12 messages;");
        String job = started.out().split(" ")[0];
        assertThat(routes.filled()).isEmpty();
        assertThat(server.by("root", "channels", "resume", "semel.fills", "--reason", "r")
                        .exit())
                .isZero();
        Shell resumed = server.by("root", "routes", "fill", "--resume", job);
        assertThat(resumed.exit()).as(resumed.toString()).isZero();
        assertThat(routes.filled()).hasSize(WEBHOOKS);
    }

    @Test
    void h4_rolesAndTenantsHold() {
        Shell viewer = server.by("vera", "routes", "fill", "--from", "shop", "--to", "crm", "--yes", "--reason", "r");
        assertThat(viewer.exit()).isEqualTo(2);
        assertThat(viewer.err()).contains("needs the role operator");
        assertThat(server.by("vera", "destinations", "show", "old").out()).doesNotContain("thanks");
        assertThat(server.by("olga", "routes", "fill", "--from", "shop", "--to", "crm", "--preview")
                        .out())
                .contains("0 messages would be sent");
        assertThat(server.by("olga", "destinations", "list").err()).contains("concerns all tenants");
        assertThat(server.by("olga", "destinations", "test", "crm", "--reason", "r")
                        .exit())
                .isEqualTo(2);
        assertThat(routes.filled()).isEmpty();
    }

    @Test
    void testEventIsSentByTheServerByItsOwnConfiguration() throws Exception {
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        receiver.start();
        String here = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hooks\n    allow:\n      http: true\n"
                + "      networks: [127.0.0.1/32]";
        Files.writeString(routes.file(), Files.readString(routes.file()).replace("https://crm.example/hooks", here));
        server.close();
        serve();
        try {
            Shell local = Shell.semel(
                    "destinations", "test", "crm", "--file", routes.file().toString());
            Shell remote = server.by("root", "destinations", "test", "crm", "--reason", "is it up?");
            assertThat(local.out()).contains("Test event failed", "503");
            assertThat(remote).isEqualTo(local);
            Shell withoutReason = server.by("root", "destinations", "test", "crm");
            assertThat(withoutReason.exit()).isEqualTo(2);
            assertThat(withoutReason.err()).contains("give --reason");
            Shell unknown = server.by("root", "destinations", "test", "none", "--reason", "r");
            assertThat(unknown.exit()).isEqualTo(1);
            assertThat(unknown.err()).contains("has no destination");
            assertThat(onStore("destinations", "test", "crm").err()).contains("needs no store");
            assertThat(onStore("audit", "tail", "--type", "destination.tested").out())
                    .contains("actor=root")
                    .contains("is it up?");
        } finally {
            receiver.stop(0);
        }
    }
}
