package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Dry runs by the command line: groups of operations, and what SHADOW would have sent beside what was sent. */
class ShadowCommandsTest {
    record Letter(String to, String password) {}

    private static final Tenant ACME = Tenant.of("acme");
    private static final Operation.Atomic<String, String> DECIDE =
            Operation.atomic("decide", String.class, String.class);
    private static final Channel.Leased<Letter> CRM =
            Channel.leased("crm.write", Letter.class).withLabel("side-effects");

    @TempDir
    private Path directory;

    private String url = "";
    private final List<String> written = new ArrayList<>();

    @BeforeEach
    void open() {
        url = "sqlite:" + directory.resolve("shop.db");
        engine(Mode.LIVE).close();
    }

    private Engine engine(Mode mode) {
        Engine engine =
                EngineSettings.at(url).withMode(mode).withoutBackground().open();
        engine.handle(CRM, (letter, run) -> written.add(letter.to()));
        return engine;
    }

    private void rehearse(String key, String to) {
        try (Engine engine = engine(Mode.SHADOW)) {
            engine.run(DECIDE, Call.of(ACME, Key.of(key), "order"), (order, tx) -> {
                tx.send(CRM, Key.of(key), new Letter(to, "hunter2"));
                return "decided";
            });
        }
    }

    private void send(String key, String to) {
        try (Engine engine = engine(Mode.LIVE)) {
            engine.send(CRM, Message.of(ACME, Key.of(key), new Letter(to, "hunter2")))
                    .orThrow();
        }
    }

    private void work() {
        try (Engine engine = engine(Mode.LIVE)) {
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
        }
    }

    private Shell run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--store");
        all.add(url);
        return Shell.semel(all.toArray(String[]::new));
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        return JsonMapper.shared().readTree(run(all.toArray(String[]::new)).out());
    }

    @Test
    void labelIsSwitchedByOneCommandAndBackByAnother() {
        send("a", "ann");
        Shell set = run("mode", "set", "SHADOW", "--label", "side-effects", "--reason", "a dry run");
        assertThat(set.exit()).as(set.err()).isZero();
        assertThat(set.out()).contains("Everything with the label side-effects is SHADOW");
        assertThat(run("mode", "get").out()).containsPattern("label side-effects +\\* +SHADOW");
        JsonNode setting = json("mode", "get").get("settings").get(0);
        assertThat(setting.get("label").asString()).isEqualTo("side-effects");
        assertThat(setting.get("operation").isNull()).isTrue();
        assertThat(run("audit", "tail", "--type", "mode.changed").out()).contains("label side-effects");
        work();
        assertThat(written).isEmpty();
        run("mode", "set", "LIVE", "--label", "side-effects", "--reason", "over");
        assertThat(run("mode", "get").out()).contains("Everything is LIVE.");
    }

    @Test
    void prefixThatTheLedgerDoesNotKnowIsRejected() {
        send("a", "ann");
        Shell unknown = run("mode", "set", "HALTED", "--prefix", "crn.", "--reason", "r");
        assertThat(unknown.exit()).isEqualTo(1);
        assertThat(unknown.err()).contains("an operation whose name begins with crn.");
        assertThat(run("mode", "set", "HALTED", "--prefix", "crm.", "--reason", "r")
                        .out())
                .contains("Everything with the prefix crm. is HALTED");
        work();
        assertThat(written).isEmpty();
        assertThat(run("mode", "set", "HALTED", "--prefix", "crn.", "--reason", "r", "--even-if-unknown")
                        .exit())
                .isZero();
        Shell both = run("mode", "set", "HALTED", "--prefix", "crm.", "--label", "x", "--reason", "r");
        assertThat(both.exit()).isEqualTo(2);
        assertThat(both.err()).contains("exclude each other");
    }

    @Test
    void diffShowsWhatShadowWouldHaveSentBesideWhatWasSent() {
        assertThat(run("ops", "diff").out()).contains("Nothing that SHADOW would have sent is recorded.");
        rehearse("absent", "ann");
        rehearse("same", "bob");
        rehearse("differs", "carl");
        send("same", "bob");
        send("differs", "charles");
        String all = run("ops", "diff").out();
        assertThat(all)
                .containsPattern("crm.write +acme +not_sent +- +-")
                .containsPattern("crm.write +acme +same +[0-9a-f]+ +QUEUED")
                .containsPattern("crm.write +acme +other_payload")
                .contains("would send", "carl", "was sent", "charles")
                .contains("3 compared: 1 not sent, 1 the same, 1 with another payload. 0 only sent.")
                .doesNotContain("hunter2");
        JsonNode json = json("ops", "diff", "--differences");
        assertThat(json.get("compared").asInt()).isEqualTo(3);
        assertThat(json.get("same").asInt()).isEqualTo(1);
        assertThat(json.get("messages")).hasSize(2);
        assertThat(json.toString()).doesNotContain("hunter2");
        assertThat(run("ops", "diff", "--operation", "decide").out()).contains("Nothing that SHADOW");
    }

    @Test
    void diffListsWhatWasSentAndShadowWouldNotHaveSent() {
        send("before", "amy");
        rehearse("same", "bob");
        send("same", "bob");
        send("extra", "zoe");
        String all = run("ops", "diff").out();
        assertThat(all)
                .containsPattern("- +crm.write +acme +only_sent +[0-9a-f]+ +QUEUED")
                .contains("1 compared: 0 not sent, 1 the same, 0 with another payload. 1 only sent.");
        JsonNode json = json("ops", "diff", "--differences");
        assertThat(json.get("compared").asInt()).isEqualTo(1);
        assertThat(json.get("only_sent").asInt()).isEqualTo(1);
        assertThat(json.get("messages")).hasSize(1);
        JsonNode only = json.get("messages").get(0);
        assertThat(only.get("would_send").isNull()).isTrue();
        assertThat(only.get("sent").toString()).contains("zoe").doesNotContain("hunter2");
        work();
        assertThat(run("ops", "diff").out()).contains("1 only sent");
        assertThat(run("ops", "diff", "--tenant", "other").out()).contains("Nothing that SHADOW");
    }

    private String shadow() {
        JsonNode messages = json("ops", "diff").get("messages");
        return messages.get(0).get("would_send").get("id").asString();
    }

    @Test
    void messageOfShadowIsReplayedOnce() {
        rehearse("a", "ann");
        String id = shadow();
        assertThat(run("ops", "explain", id).out()).contains("would have been sent by a run in SHADOW");
        assertThat(run("dead", "replay", id, "--reason", "for real").out()).contains("sent for real");
        Shell again = run("dead", "replay", id, "--reason", "for real");
        assertThat(again.exit()).isEqualTo(1);
        work();
        assertThat(written).containsExactly("ann");
    }

    @Test
    void replayOfAMessageWhoseKeyHasAnotherPayloadSaysSo() {
        rehearse("a", "ann");
        send("a", "bob");
        Shell refused = run("dead", "replay", shadow(), "--reason", "for real");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("its key was used meanwhile with another payload", "semel ops diff");
        work();
        assertThat(written).containsExactly("bob");
    }
}
