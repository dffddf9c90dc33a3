package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Channels and modes: what may go on, as a person says. */
class ControlsTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory);
    }

    @Test
    void channelsWithMessagesOrPausesAreListed() {
        assertThat(run("channels", "list").out())
                .isEqualToIgnoringNewLines("No messages are waiting, and no" + " channel is paused.");
        shop.withAParkedLane();
        shop.send("m-1", "ann@example.com");
        run("channels", "pause", "fax", "--tenant", "acme", "--reason", "no paper", "--even-if-unknown");
        run("mode", "set", "HALTED", "--operation", "mail", "--reason", "night");
        List<String> lines = run("channels", "list").out().lines().toList();
        assertThat(lines.get(0)).startsWith("CHANNEL").contains("WAITING", "OLDEST DUE", "PARKED LANES", "PAUSE");
        assertThat(lines.get(1)).matches("crm +2 .* 1 +0 +LIVE");
        assertThat(lines.get(2)).matches("fax +0 +0 +0 +LIVE +tenant acme: no paper \\(since .*\\)");
        assertThat(lines.get(3)).matches("mail +1 .* 0 +HALTED");
        JsonNode json = json("channels", "list");
        assertThat(json.get(0).get("parked_lanes").asInt()).isEqualTo(1);
        assertThat(json.get(1).get("pauses").get(0).get("reason").asString()).isEqualTo("no paper");
        assertThat(json.get(2).get("mode").asString()).isEqualTo("HALTED");
    }

    @Test
    void pausedChannelAcceptsAndIsNotHandledUntilItIsResumed() {
        Shell paused = run("channels", "pause", "mail", "--reason", "the server moves", "--even-if-unknown");
        assertThat(paused.exit()).isZero();
        assertThat(paused.out()).contains("mail is paused", "semel channels resume mail");
        shop.send("m-1", "ann@example.com");
        shop.deliver();
        assertThat(shop.handled()).isEmpty();
        assertThat(run("channels", "resume", "mail", "--reason", "it has moved").out())
                .contains("mail is resumed.");
        shop.deliver();
        assertThat(shop.handled()).containsExactly("m-1");
        Shell again = run("channels", "resume", "mail", "--reason", "r");
        assertThat(again.exit()).isEqualTo(1);
        assertThat(again.err()).contains("mail was not paused: nothing was changed.");
    }

    @Test
    void unknownNameIsRejectedUnlessConfirmed() {
        shop.send("m-1", "ann@example.com");
        Shell pause = run("channels", "pause", "mial", "--reason", "r");
        assertThat(pause.exit()).isEqualTo(1);
        assertThat(pause.err())
                .contains("The ledger has no record of mial: nothing was changed.", "Channels with messages: mail.");
        Shell mode = run("mode", "set", "HALTED", "--operation", "mial", "--reason", "r");
        assertThat(mode.exit()).isEqualTo(1);
        assertThat(json("mode", "get").get("settings")).isEmpty();
        assertThat(json("mode", "get").get("pauses")).isEmpty();
        assertThat(run("channels", "pause", "mial", "--reason", "r", "--even-if-unknown")
                        .exit())
                .isZero();
        shop.deliver();
        assertThat(run("channels", "pause", "mail", "--reason", "r").exit())
                .as("only finished messages")
                .isZero();
    }

    @Test
    void pauseNeedsAReasonAndAName() {
        assertThat(run("channels", "pause", "mail").exit()).isEqualTo(2);
        assertThat(run("channels", "pause", "", "--reason", "r").exit()).isEqualTo(2);
        assertThat(run("channels", "pause", "mail", "--tenant", "", "--reason", "r")
                        .exit())
                .isEqualTo(2);
        assertThat(semel("channels").err()).contains("list, pause or resume");
    }

    @Test
    void modeIsSetForAllNodesAndRemovedByLive() {
        assertThat(run("mode", "get").out()).isEqualToIgnoringNewLines("Everything is LIVE.");
        Shell halted = run("mode", "set", "halted", "--wait", "--reason", "smoke");
        assertThat(halted.out()).contains("Everything is HALTED on every node.");
        shop.send("m-1", "ann@example.com");
        shop.deliver();
        assertThat(shop.handled()).isEmpty();
        assertThat(shop.mailRow("m-1").state()).isEqualTo(State.QUEUED);
        run("mode", "set", "SHADOW", "--operation", "crm", "--tenant", "acme", "--reason", "r", "--even-if-unknown");
        assertThat(run("mode", "get").out())
                .containsPattern("crm +acme +SHADOW")
                .containsPattern("\\* +\\* +HALTED");
        assertThat(json("mode", "get").get("settings")).hasSize(2);
        assertThat(run("mode", "set", "LIVE", "--reason", "no smoke").out())
                .contains("Everything is LIVE; applied on every node within a second.");
        assertThat(json("mode", "get").get("settings")).hasSize(1);
        shop.deliver();
        assertThat(shop.handled()).containsExactly("m-1");
    }

    @Test
    void unknownModeIsBadInput() {
        Shell shell = run("mode", "set", "ASLEEP", "--reason", "r");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("LIVE", "SHADOW", "HALTED");
        assertThat(run("mode", "set", "LIVE").exit()).isEqualTo(2);
        assertThat(semel("mode").err()).contains("get or set");
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        return JsonMapper.shared().readTree(run(all.toArray(String[]::new)).out());
    }

    private Shell run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return semel(all.toArray(String[]::new));
    }
}
