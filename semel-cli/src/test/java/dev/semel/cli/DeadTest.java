package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.operator.Replays;
import dev.semel.store.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeadTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory).withOrders().withAParkedLane().withLostMails(3);
    }

    @Test
    void deadLettersAreListedAndGroupedByFailure() {
        assertThat(dead("list").out().lines()).hasSize(6);
        assertThat(dead("list", "--limit", "2").out().lines()).hasSize(3);
        assertThat(dead("list", "--category", "validation", "--json").out()).contains("\"nobody\\\" is not");
        List<String> groups = dead("groups").out().lines().toList();
        assertThat(groups).hasSize(4);
        assertThat(groups.get(1)).startsWith("3 ").contains("mail", "network", "ConnectException: connection refused");
        JsonNode json = json("groups", "--exception", "ConnectException");
        assertThat(json).hasSize(1);
        assertThat(json.get(0).get("count").asInt()).isEqualTo(3);
        assertThat(dead("groups", "--tenant", "other").out())
                .isEqualToIgnoringNewLines("No dead letter and no UNKNOWN message matches.");
    }

    @Test
    void d25_unknownMessagesAreListedWithDeadLetters() {
        shop.withADoubtfulFax();
        assertThat(dead("list").out().lines().toList().get(1))
                .contains("UNKNOWN", "fax", "no answer after the last page");
        assertThat(json("list", "--operation", "fax").get(0).get("state").asString())
                .isEqualTo("UNKNOWN");
        assertThat(dead("groups", "--operation", "fax").out()).contains("1 ", "UNKNOWN", "SocketTimeoutException");
        Shell channels = semel("channels", "list", "--store", shop.url());
        assertThat(channels.out()).containsPattern("UNKNOWN +MODE").containsPattern("(?m)^fax +0 +0 +1 +LIVE");
    }

    @Test
    void d25_bulkReplayIncludesUnknownMessagesOnlyWithTheOption() {
        shop.withADoubtfulFax();
        Shell refused = dead("replay", "--operation", "fax", "--reason", "r");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("1 matching message has an unknown outcome", "--unknown");
        assertThat(dead("replay", "--all", "--preview").out())
                .contains("5 dead letters would be replayed", "1 matching message has an unknown outcome");
        assertThat(dead("replay", "--all", "--unknown", "--preview").out())
                .contains("6 messages would be replayed", "1 of them may have taken effect already");
        assertThat(dead("replay", "--all", "--yes", "--reason", "r").out())
                .contains("5 dead letters replayed, 0 left.");
        assertThat(shop.row("fax", "f-1").state()).isEqualTo(State.UNKNOWN);
        Shell done = dead("replay", "--operation", "fax", "--unknown", "--reason", "the machine printed nothing");
        assertThat(done.out()).contains("1 message replayed, 0 left.");
        shop.deliver();
        assertThat(shop.handled()).contains("f-1");
        assertThat(dead("replay", "--unknown", "--reason", "r").err()).contains("Nothing selected for replay");
    }

    @Test
    void oneIsReplayedAndASecondReplayChangesNothing() {
        String id = shop.mailRow("o-2").id().hex();
        Shell preview = dead("replay", id, "--preview");
        assertThat(preview.out()).contains("Would be replayed: mail/");
        assertThat(shop.mailRow("o-2").state()).isEqualTo(State.FAILED_TERMINAL);
        Shell first = dead("replay", id, "--reason", "the address was mended");
        assertThat(first.err()).isEmpty();
        assertThat(first.exit()).isZero();
        assertThat(first.out())
                .contains("mail/" + id.substring(0, 12), "(tenant acme): replayed; the next free" + " worker runs it");
        assertThat(shop.mailRow("o-2").state()).isEqualTo(State.QUEUED);
        Shell second = dead("replay", id, "--reason", "again");
        assertThat(second.exit()).isZero();
        assertThat(second.out()).contains("was already replayed; nothing was changed.");
        shop.deliver();
        assertThat(shop.handled()).contains("o-2");
        Shell third = dead("replay", id, "--reason", "again");
        assertThat(third.exit()).isEqualTo(1);
        assertThat(third.err()).contains("is COMPLETED and cannot be replayed: nothing was changed.", "is done");
    }

    @Test
    void recordThatIsNotDeadIsNotReplayed() {
        shop.send("waiting", "ann@example.com");
        Shell shell = dead("replay", shop.mailRow("waiting").id().hex(), "--reason", "r");
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.err()).contains("is QUEUED and cannot be replayed: nothing was changed.");
        assertThat(dead("replay", "0".repeat(64), "--reason", "r").exit()).isEqualTo(1);
        assertThat(dead("replay", "zz", "--reason", "r").exit()).isEqualTo(2);
    }

    @Test
    void previewOfManyChangesNothing() {
        Shell shell = dead("replay", "--operation", "mail", "--preview");
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("4 dead letters would be replayed; nothing was changed.", "COUNT");
        JsonNode json = json("replay", "--category", "network", "--preview");
        assertThat(json.get("count").asInt()).isEqualTo(3);
        assertThat(json.get("groups")).hasSize(1);
        assertThat(shop.mailRow("lost-0").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void manyAreReplayedInTheForeground() {
        Shell shell = dead("replay", "--category", "network", "--yes", "--reason", "the network is back");
        assertThat(shell.exit()).isZero();
        assertThat(shell.err()).contains("is running", "semel dead replay --resume replay-");
        assertThat(shell.out()).containsPattern("replay-\\S+ finished: 3 dead letters replayed, 0 left.");
        assertThat(shop.mailRow("o-2").state()).isEqualTo(State.FAILED_TERMINAL);
        shop.deliver();
        assertThat(shop.handled()).contains("lost-0", "lost-1", "lost-2").doesNotContain("o-2");
    }

    @Test
    void manyInSeveralPartsUnderARateAreReplayedToo() {
        shop.withLostMails(40);
        JsonNode json = json("replay", "--all", "--yes", "--rate", "5000", "--reason", "r");
        assertThat(json.get("matched").asInt()).isEqualTo(42);
        assertThat(json.get("left").asInt()).isZero();
        assertThat(json.get("over").asBoolean()).isTrue();
    }

    @Test
    void bulkReplayNeedsConfirmation() {
        Shell shell = dead("replay", "--operation", "mail", "--reason", "r");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err())
                .contains("4 dead letters match, but confirmation needs a" + " terminal", "--preview", "--yes");
        assertThat(shop.mailRow("lost-0").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(dead("replay", "--category", "validation", "--reason", "one needs no yes")
                        .exit())
                .isZero();
        assertThat(shop.mailRow("o-2").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void detachedReplayIsResumedByItsName() {
        Shell begun = dead("replay", "--operation", "mail", "--yes", "--detach", "--reason", "r");
        assertThat(begun.exit()).isZero();
        Matcher job =
                Pattern.compile("(replay-\\S+) has started with 4 dead letters").matcher(begun.out());
        assertThat(job.find()).isTrue();
        assertThat(shop.mailRow("lost-0").state()).isEqualTo(State.FAILED_TERMINAL);
        Shell resumed = dead("replay", "--resume", job.group(1));
        assertThat(resumed.out()).contains(job.group(1) + " finished: 4 dead letters replayed, 0 left.");
        assertThat(shop.mailRow("lost-0").state()).isEqualTo(State.QUEUED);
        assertThat(dead("replay", "--resume", job.group(1)).exit()).isZero();
        Shell unknown = dead("replay", "--resume", "replay-none");
        assertThat(unknown.exit()).isEqualTo(1);
        assertThat(unknown.err()).contains("Replay job replay-none not found");
    }

    @Test
    void failedPartOfAReplayIsResumed() {
        Shell begun = dead("replay", "--operation", "mail", "--yes", "--detach", "--reason", "r", "--json");
        String job = JsonMapper.shared().readTree(begun.out()).get("job").asString();
        try (Engine engine = EngineSettings.at(shop.url()).withoutBackground().open()) {
            engine.handle(Replays.CHANNEL, (part, run) -> {
                throw dev.semel.Failure.of(dev.semel.Failure.Category.VALIDATION, "simulated")
                        .asException();
            });
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
        }
        Shell resumed = dead("replay", "--resume", job);
        assertThat(resumed.err()).doesNotContain("simulated");
        assertThat(resumed.out()).contains(" finished: ");
        assertThat(shop.mailRow("lost-0").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void filterWithoutMatchFailsAndChangesNothing() {
        Shell shell = dead("replay", "--operation", "fax", "--yes", "--reason", "r");
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.err()).contains("No dead letter matches: nothing was changed.");
        assertThat(dead("replay", "--category", "sorrow", "--preview").exit()).isEqualTo(2);
    }

    @Test
    void replayNeedsExactlyOneSelection() {
        assertThat(dead("replay", "--reason", "r").err()).contains("Nothing selected for replay");
        assertThat(dead("replay", "ab", "--all", "--reason", "r").exit()).isEqualTo(2);
        assertThat(dead("replay", "--all").exit()).isEqualTo(2);
        assertThat(dead("replay", "--all", "--reason", "r", "--rate", "-1").exit())
                .isEqualTo(2);
        assertThat(dead("replay", "--all", "--preview", "--reason", "r").exit()).isEqualTo(2);
    }

    @Test
    void discardedHeadUnblocksItsLane() {
        String head = shop.row("crm", "o-7/broken").id().hex();
        assertThat(dead("discard", head).exit()).isEqualTo(2);
        Shell shell = dead("discard", head, "--reason", "told the CRM by hand");
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("discarded; it will not be retried.");
        assertThat(dead("discard", head, "--reason", "r").out()).contains("was already discarded");
        shop.deliver();
        assertThat(shop.handled()).contains("paid", "shipped");
        Shell done = dead("discard", shop.row("crm", "o-7/paid").id().hex(), "--reason", "r");
        assertThat(done.exit()).isEqualTo(1);
        assertThat(done.err()).contains("is COMPLETED and cannot be discarded");
    }

    @Test
    void missingSubcommandListsTheSubcommands() {
        assertThat(semel("dead").exit()).isEqualTo(2);
        assertThat(semel("dead").err()).contains("list, groups, replay or discard");
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        return JsonMapper.shared().readTree(dead(all.toArray(String[]::new)).out());
    }

    private Shell dead(String... args) {
        List<String> all = new ArrayList<>(List.of("dead"));
        all.addAll(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return semel(all.toArray(String[]::new));
    }
}
