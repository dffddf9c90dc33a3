package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.operator.Operator.Warrant;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel destinations list} and {@code show}: what the ledger knows of destinations, whichever node made an attempt. */
class DestinationReportTest {
    private static final Policy SLOW = Policy.named("slow")
            .withMaxAttempts(5)
            .withDelays(Duration.ofHours(1))
            .withJitter(new Policy.Jitter.None())
            .build();

    private static final String TIME = "\\S+ \\S+Z";

    @TempDir
    private Path directory;

    private String store;

    @BeforeEach
    void name() {
        store = "sqlite:" + directory.resolve("ledger.db");
    }

    /** Delivers one message as the server's handler does: with its notes. */
    private void deliver(String destination, String key, int status, String answer) {
        Channel.Leased<String> channel =
                Channel.leased("destination." + destination, String.class).withPolicy("slow");
        try (Engine engine =
                EngineSettings.at(store).withPolicy(SLOW).withoutBackground().open()) {
            engine.handle(channel, (payload, run) -> {
                run.note("took_ms", 31);
                run.note("http_status", status);
                run.note("answer", answer);
                if (status >= 300) {
                    throw Failure.of(Failure.Category.UPSTREAM_ERROR, "it answered HTTP " + status)
                            .asException();
                }
            });
            engine.send(channel, Message.of(Tenant.of("acme"), Key.of(key), "{}"));
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
        }
    }

    private void pause(String destination) {
        try (Engine engine = EngineSettings.at(store).withoutBackground().open()) {
            engine.operator()
                    .pause("destination." + destination, null, new Warrant("semel-server", "it was switched off"));
        }
    }

    private Shell destinations(String... arguments) {
        String[] all = new String[arguments.length + 3];
        all[0] = "destinations";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        all[all.length - 2] = "--store";
        all[all.length - 1] = store;
        return Shell.semel(all);
    }

    @Test
    void listTellsLastSuccessFailuresAndPausesOfEachDestination() {
        deliver("app", "a", 204, "");
        deliver("crm", "a", 204, "");
        deliver("crm", "b", 503, "busy");
        pause("crm");
        Shell list = destinations("list");
        assertThat(list.exit()).isZero();
        assertThat(list.out().lines())
                .anySatisfy(line -> assertThat(line).matches("app +" + TIME + " +HTTP 204 *"))
                .anySatisfy(line -> assertThat(line)
                        .matches("crm +" + TIME + " +" + TIME
                                + " +upstream_error \\(HTTP 503\\) +it was switched off \\(since " + TIME + "\\)"));
        JsonNode json =
                JsonMapper.shared().readTree(destinations("list", "--json").out());
        assertThat(json.get(0).get("name").asString()).isEqualTo("app");
        assertThat(json.get(0).get("failing_since").isNull()).isTrue();
        assertThat(json.get(1).get("last_success").isNull()).isFalse();
        assertThat(json.get(1).get("failing_since").isNull()).isFalse();
        assertThat(json.get(1).get("paused").asString()).isEqualTo("it was switched off");
    }

    @Test
    void showTellsEachAttemptNewestFirst() {
        deliver("crm", "a", 204, "thanks");
        deliver("crm", "b", 503, "busy, \"token\":\"abcdefgh\"");
        Shell show = destinations("show", "crm");
        assertThat(show.exit()).isZero();
        assertThat(show.out())
                .contains("Destination crm: failing since ")
                .containsSubsequence("upstream_error (HTTP 503)", "31 ms", "busy", "HTTP 204", "thanks")
                .doesNotContain("abcdefgh");
        JsonNode json = JsonMapper.shared()
                .readTree(destinations("show", "crm", "-n", "1", "--json").out());
        assertThat(json.get("attempts")).hasSize(1);
        assertThat(json.get("attempts").get(0).get("status").asInt()).isEqualTo(503);
        assertThat(json.get("attempts").get(0).get("took_ms").asInt()).isEqualTo(31);
    }

    @Test
    void unknownDestinationAndEmptyLedgerAreToldSo() {
        pause("crm");
        Shell unknown = destinations("show", "cmr");
        assertThat(unknown.exit()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(unknown.err()).contains("The ledger knows nothing of a destination \"cmr\"");
        assertThat(destinations("show", "crm").out())
                .contains("no attempt is known")
                .contains("it was switched off");
    }
}
