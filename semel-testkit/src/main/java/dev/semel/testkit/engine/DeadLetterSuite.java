package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.RetryReport;
import dev.semel.operator.Tree;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.AuditFilter;
import dev.semel.store.Line;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters with their story, replays, discards, explanations. */
abstract class DeadLetterSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "the receiver is up again");
    private static final Policy PARKING = STEADY.toBuilder()
            .withName("parking")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();
    private static final Channel.Leased<Note> STRICT = CHAT.withPolicy("parking");

    private final Set<String> failing = new HashSet<>();
    private Engine node;

    @SuppressWarnings("NullAway.Init")
    DeadLetterSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void handle() {
        node = start(store, settings -> settings.withPolicy(PARKING));
        node.handle(MAIL, (note, run) -> fail(note));
        node.handle(STRICT, (note, run) -> fail(note));
        node.handle(Replays.CHANNEL, node.operator().replays()::handle);
    }

    private void fail(Note note) {
        if (failing.contains(note.text())) {
            throw failing(Failure.Category.VALIDATION);
        }
        handled.add(note.text());
    }

    private void deliver(Channel<Note> channel, String lane, String... keys) {
        for (String key : keys) {
            node.send(channel, note(key, lane));
        }
        work(node);
    }

    private Replays.ReplayOutcome replay(Channel<Note> channel, String key) {
        return node.operator().replay(row(channel, key).id(), WARRANT);
    }

    @Test
    void d4_deadLetterThatIsExpiredIsNotBroughtBack() {
        failing.add("m");
        deliver(MAIL, "l", "m");
        failing.clear();
        time.advance(Duration.ofMillis(row(MAIL, "m").status().at() - time.millis()));
        assertThat(replay(MAIL, "m")).isEqualTo(Replays.ReplayOutcome.ABSENT);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_TERMINAL);
        work(node);
        assertThat(handled).isEmpty();
    }

    @Test
    void d4_deadLetterThatIsReplayedTwiceRunsOnce() {
        failing.add("m");
        deliver(MAIL, "l", "m");
        failing.clear();
        Row dead = row(MAIL, "m");
        assertThat(dead.state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(replay(MAIL, "m")).isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(replay(MAIL, "m")).isEqualTo(Replays.ReplayOutcome.ALREADY);
        assertThat(row(MAIL, "m").status().attempt()).isZero();
        work(node);
        assertThat(handled).containsExactly("m");
        assertThat(replay(MAIL, "m")).isEqualTo(Replays.ReplayOutcome.REFUSED);
        assertThat(node.operator().replay(id(MAIL.operation(), "nobody"), WARRANT))
                .isEqualTo(Replays.ReplayOutcome.ABSENT);
        assertThat(story(MAIL, "m"))
                .containsExactly("operation.queued", "system.error", "operator.replayed", "operation.executed");
    }

    @Test
    void handlerIsToldInEachAttemptWhetherAnOperatorReplayedTheMessage() {
        List<String> told = new ArrayList<>();
        Channel.Leased<Note> channel = Channel.leased("told", Note.class).withPolicy("steady");
        node.handle(channel, (note, run) -> {
            told.add(run.attempt() + " " + run.replayed());
            throw failing(Failure.Category.NETWORK);
        });
        node.send(channel, note("m", "l"));
        for (int rounds = 0; rounds < 2; rounds++) {
            for (int attempts = 0; attempts < 3; attempts++) {
                work(node);
                time.advance(Duration.ofMinutes(1));
            }
            replay(channel, "m");
        }
        assertThat(told).containsExactly("1 false", "2 false", "3 false", "1 true", "2 true", "3 true");
    }

    @Test
    void handlerIsToldOfTheReplayOfAMessageThatWasOnlyDecidedInShadow() {
        List<Boolean> told = new ArrayList<>();
        Channel.Leased<Note> channel = Channel.leased("told", Note.class).withPolicy("steady");
        node.handle(channel, (note, run) -> told.add(run.replayed()));
        Switchboard.Setting shadow = new Switchboard.Setting(null, "told", Mode.SHADOW);
        node.operator().setMode(shadow, WARRANT);
        time.advance(Duration.ofMinutes(1));
        deliver(channel, "l", "m");
        assertThat(row(channel, "m").state()).isEqualTo(State.SHADOWED);
        node.operator().setMode(new Switchboard.Setting(null, "told", Mode.LIVE), WARRANT);
        time.advance(Duration.ofMinutes(1));
        replay(channel, "m");
        deliver(channel, "l", "n");
        assertThat(told).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void d4_deadLetterThatTwoPeopleReplayAtOnceRunsOnce() throws Exception {
        Engine other = otherNode();
        ExecutorService people = Executors.newFixedThreadPool(2);
        try {
            for (String key : List.of("a", "b", "c", "d")) {
                failing.add(key);
                deliver(MAIL, "l", key);
                failing.clear();
                RecordId id = row(MAIL, key).id();
                CyclicBarrier together = new CyclicBarrier(2);
                List<Future<Replays.ReplayOutcome>> outcomes = new ArrayList<>();
                for (Engine each : List.of(node, other)) {
                    outcomes.add(people.submit(() -> {
                        together.await();
                        return each.operator().replay(id, WARRANT);
                    }));
                }
                assertThat(List.of(outcomes.get(0).get(), outcomes.get(1).get()))
                        .containsExactlyInAnyOrder(Replays.ReplayOutcome.DONE, Replays.ReplayOutcome.ALREADY);
                work(node);
            }
        } finally {
            people.shutdownNow();
        }
        assertThat(handled).containsExactly("a", "b", "c", "d");
    }

    @Test
    void d4_replayWhileItRunsChangesNothing() {
        List<Replays.ReplayOutcome> outcomes = new ArrayList<>();
        Engine other = otherNode();
        node.send(CHAT, note("m", "l"));
        Engine running = otherNode();
        running.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            outcomes.add(other.operator().replay(row(CHAT, "m").id(), WARRANT));
        });
        work(running);
        work(running);
        assertThat(outcomes).containsExactly(Replays.ReplayOutcome.REFUSED);
        assertThat(handled).containsExactly("m");
    }

    @Test
    void d4_replayThatSawTheLetterBeforeItDiedLosesNothing() throws Exception {
        CompletableFuture<Void> seen = new CompletableFuture<>();
        CompletableFuture<Void> dead = new CompletableFuture<>();
        Faults slow = new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return Fault.NONE;
            }

            @Override
            public void done(StoreCall call) {
                if (call == StoreCall.FIND) {
                    seen.complete(null);
                    dead.join();
                }
            }
        };
        Operator operator =
                start(new FaultyStore(reopened(), slow), settings -> settings).operator();
        List<CompletableFuture<Replays.ReplayOutcome>> early = new ArrayList<>();
        Engine running = otherNode();
        running.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            if (early.isEmpty()) {
                RecordId id = row(CHAT, "m").id();
                early.add(CompletableFuture.supplyAsync(() -> operator.replay(id, WARRANT)));
                seen.join();
                throw failing(Failure.Category.VALIDATION);
            }
        });
        node.send(CHAT, note("m", "l"));
        work(running);
        assertThat(row(CHAT, "m").state()).isEqualTo(State.FAILED_TERMINAL);
        dead.complete(null);
        assertThat(early.get(0).get()).isEqualTo(Replays.ReplayOutcome.REFUSED);
        assertThat(running.operator().replay(row(CHAT, "m").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        work(running);
        assertThat(handled).containsExactly("m", "m");
    }

    @Test
    void d5_bulkReplayDoesWhatItsPreviewShows() throws Exception {
        List<String> keys = IntStream.range(0, 250).mapToObj(i -> "m" + i).toList();
        failing.addAll(keys);
        deliver(MAIL, "l", keys.toArray(String[]::new));
        failing.clear();
        UnresolvedMessages.MessageFilter mail = new UnresolvedMessages.MessageFilter(
                new RecordFilter(ACME.name(), "mail", true, Long.MAX_VALUE), Failure.Category.VALIDATION, null);
        UnresolvedMessages.Preview preview = node.operator().letters().preview(mail);
        assertThat(preview.count()).isEqualTo(250);
        assertThat(node.operator().letters().groups(mail, 1_000).groups())
                .singleElement()
                .extracting(UnresolvedMessages.CauseGroup::count)
                .isEqualTo(250L);
        UnresolvedMessages.MessageFilter other =
                new UnresolvedMessages.MessageFilter(new RecordFilter("other", null, true, Long.MAX_VALUE), null, null);
        assertThat(node.operator().letters().preview(other).count()).isZero();

        node.send(Replays.CHANNEL, Replays.begin("job", preview, 0, WARRANT));
        node.operator().pause(Replays.CHANNEL.name(), null, WARRANT);
        time.advance(Duration.ofSeconds(2));
        work(node);
        assertThat(handled).isEmpty();
        node.operator().resume(Replays.CHANNEL.name(), null, WARRANT);
        time.advance(Duration.ofSeconds(2));
        work(node);
        assertThat(handled).containsExactlyInAnyOrderElementsOf(keys);
    }

    @Test
    void d5_bulkReplayWhoseNodeDiedIsTakenOverAndReportsItsProgress() {
        List<String> keys = IntStream.range(0, 650).mapToObj(i -> "m" + i).toList();
        failing.addAll(keys);
        deliver(MAIL, "l", keys.toArray(String[]::new));
        failing.clear();
        UnresolvedMessages.Preview preview = node.operator().letters().preview(UnresolvedMessages.MessageFilter.ALL);
        node.send(Replays.CHANNEL, Replays.begin("job", preview, 0, WARRANT));
        assertThat(claim(Replays.CHANNEL.name(), true, 1)).hasSize(1);
        work(node);
        Replays replays = node.operator().replays();
        assertThat(replays.progress("job", 1)).hasValueSatisfying(progress -> {
            assertThat(progress.over()).isFalse();
            assertThat(progress.part()).isEqualTo(1);
            assertThat(progress.asked()).isEqualTo(preview);
        });
        assertThat(handled).isEmpty();
        time.advance(LEASE.plusSeconds(1));
        work(node);
        assertThat(handled).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(replays.progress("job", 1)).hasValueSatisfying(progress -> {
            assertThat(progress.over()).isTrue();
            assertThat(progress.part()).isEqualTo(2);
            assertThat(progress.done()).isEqualTo(500);
        });
        assertThat(replays.progress("other", 1)).isEmpty();
    }

    @Test
    void d5_partThatIsRunAgainAfterItHasSentTheNextOneEnds() {
        List<String> keys = IntStream.range(0, 1_150).mapToObj(i -> "m" + i).toList();
        failing.addAll(keys);
        deliver(MAIL, "l", keys.toArray(String[]::new));
        failing.clear();
        Engine replaying = otherNode();
        List<Integer> parts = new ArrayList<>();
        replaying.handle(Replays.CHANNEL, (bulk, run) -> {
            boolean first = !parts.contains(bulk.part());
            parts.add(bulk.part());
            if (bulk.part() == 1 || !first) {
                replaying.operator().replays().handle(bulk, run);
            }
            if (first && bulk.part() < 3) {
                throw failing(Failure.Category.TIMEOUT);
            }
        });
        UnresolvedMessages.Preview preview = node.operator().letters().preview(UnresolvedMessages.MessageFilter.ALL);
        replaying.send(Replays.CHANNEL, Replays.begin("job", preview, 0, WARRANT));
        for (int rounds = 0; rounds < 10; rounds++) {
            work(replaying);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(parts).containsExactlyInAnyOrder(1, 1, 2, 2);
        assertThat(node.operator().letters().list(UnresolvedMessages.MessageFilter.ALL, 10))
                .isEmpty();
        assertThat(node.operator().replays().progress("job", 1))
                .hasValueSatisfying(progress -> assertThat(progress.over()).isTrue());
    }

    @Test
    void d5_bulkReplayOfAnOlderVersionContinues() {
        List<String> keys = IntStream.range(0, 120).mapToObj(i -> "m" + i).toList();
        failing.addAll(keys);
        deliver(MAIL, "l", keys.toArray(String[]::new));
        failing.clear();
        long fence = node.operator()
                .letters()
                .preview(UnresolvedMessages.MessageFilter.ALL)
                .which()
                .records()
                .fence();
        RecordFilter.Cursor start = RecordFilter.Cursor.START;
        String form = """
                {"job":"old","part":1,"filter":{"tenant":null,"operation":"mail","category":"validation","exception":null,\
                "fence":%d,"matched":620},"perSecond":0,"at":{"at":%d,"id":"%s","actor":"ann","reason":"up again"},"done":500}""";
        sendOlderPart(
                "old/1",
                String.format(Locale.ROOT, form, fence, start.at(), start.id().hex()));
        assertThat(node.operator().replays().progress("old", 1)).hasValueSatisfying(progress -> {
            assertThat(progress.over()).isFalse();
            assertThat(progress.done()).isEqualTo(500);
            assertThat(progress.asked().count()).isEqualTo(620);
            assertThat(progress.asked().which().scope()).isEqualTo(UnresolvedMessages.Scope.DEAD);
            assertThat(progress.asked().which().category()).isEqualTo(Failure.Category.VALIDATION);
        });
        work(node);
        assertThat(handled).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(node.operator().replays().progress("old", 1))
                .hasValueSatisfying(progress -> assertThat(progress.over()).isTrue());
    }

    /** A part of a replay as an older version stored it. */
    private void sendOlderPart(String key, String json) {
        Channel.Leased<byte[]> stored =
                Channel.leased(Replays.CHANNEL.name(), byte[].class).withPolicy("worker.job");
        Message<byte[]> part =
                Message.of(Tenant.of("semel.operators"), Key.of(key), json.getBytes(StandardCharsets.UTF_8));
        assertThat(otherNode().send(stored, part)).isInstanceOf(Sent.Accepted.class);
    }

    @Test
    void d7_replayedHeadKeepsItsPlaceAndItsLaneContinuesBehindIt() {
        failing.add("x1");
        deliver(STRICT, "x", "x1", "x2");
        assertThat(handled).isEmpty();
        assertThat(node.operator().explain(row(STRICT, "x2")).sentence())
                .contains("behind its head")
                .contains("dead");
        failing.clear();
        assertThat(replay(STRICT, "x1")).isEqualTo(Replays.ReplayOutcome.DONE);
        work(node);
        assertThat(handled).containsExactly("x1", "x2");
    }

    @Test
    void d7_discardedHeadLetsItsLaneContinue() {
        failing.add("x1");
        deliver(STRICT, "x", "x1", "x2");
        assertThat(node.operator().discard(row(STRICT, "x1").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(node.operator().discard(row(STRICT, "x1").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.ALREADY);
        work(node);
        assertThat(handled).containsExactly("x2");
        assertThat(row(STRICT, "x1").state()).isEqualTo(State.DISCARDED);
        assertThat(story(STRICT, "x1")).endsWith("operator.discarded");
    }

    @Test
    void d7_replayOfOneThatLetItsLaneContinueJoinsTheTail() {
        failing.add("x1");
        Engine continuing = start(store, settings -> settings);
        continuing.handle(CHAT, (note, run) -> fail(note));
        for (String key : List.of("x1", "x2")) {
            continuing.send(CHAT, note(key, "x"));
        }
        work(continuing);
        failing.clear();
        continuing.send(CHAT, note("x3", "x"));
        assertThat(continuing.operator().replay(row(CHAT, "x1").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(line(CHAT, "x1").turn()).isIn(Line.Turn.ARRIVED, Line.Turn.WAITING);
        work(continuing);
        assertThat(handled).containsExactly("x2", "x3", "x1");
    }

    @Test
    void shadowedRecordIsReplayedForReal() {
        node.operator().setMode(new Switchboard.Setting(null, "mail", Mode.SHADOW), WARRANT);
        time.advance(Duration.ofSeconds(2));
        deliver(MAIL, "l", "m");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.SHADOWED);
        node.operator().setMode(new Switchboard.Setting(null, "mail", Mode.LIVE), WARRANT);
        time.advance(Duration.ofSeconds(2));
        assertThat(replay(MAIL, "m")).isEqualTo(Replays.ReplayOutcome.DONE);
        work(node);
        assertThat(handled).containsExactly("m");
    }

    @Test
    void everyReasonForNotBeingDoneIsExplained() {
        node.send(MAIL, note("due", "l"));
        node.send(MAIL, note("later", "l").withDelay(Duration.ofMinutes(90)));
        assertThat(sentence("due")).contains("no worker has taken it");
        assertThat(sentence("later")).contains("due in 1 h 30 min");
        node.operator().pause("mail", null, WARRANT);
        assertThat(sentence("due")).contains("paused").contains("the receiver is up again");
        node.operator().setMode(new Switchboard.Setting(null, "mail", Mode.HALTED), WARRANT);
        assertThat(sentence("due")).contains("HALTED");
        node.operator().setMode(new Switchboard.Setting(null, "mail", Mode.LIVE), WARRANT);
        node.operator().resume("mail", null, WARRANT);
        claim(MAIL);
        assertThat(sentence("due")).contains("is running on a node, or waits there");
        time.advance(LEASE.plusSeconds(5));
        assertThat(sentence("due")).contains("lease is over");
        failing.add("bad");
        time.advance(Duration.ofSeconds(2));
        deliver(MAIL, "l", "bad");
        assertThat(sentence("bad")).contains("dead").contains("validation: simulated validation");
        assertThat(sentence("due")).contains("is done");
    }

    private String sentence(String key) {
        return node.operator().explain(row(MAIL, key)).sentence();
    }

    @Test
    void treeShowsStepsAndEverythingThatWasSent() {
        node.handle(NOTIFY, (order, run) -> {
            run.step("first", String.class, key -> "done");
            run.send(MAIL, Key.of("child"), new Note("l", "child"));
            return new Receipt("r");
        });
        node.run(NOTIFY, call("k"), (order, run) -> {
            run.step("first", String.class, key -> "done");
            run.send(MAIL, Key.of("child"), new Note("l", "child"));
            return new Receipt("r");
        });
        Tree tree = node.operator().tree(row(NOTIFY, "k"));
        assertThat(tree.steps()).hasSize(1);
        assertThat(tree.sent()).singleElement().satisfies(child -> {
            assertThat(child.record().id()).isEqualTo(id(MAIL.operation(), "child"));
        });
    }

    @Test
    void howRetriesWentIsReadFromTheAudit() {
        List<String> once = new ArrayList<>(List.of("flaky"));
        node.handle(POST, (note, tx) -> {
            if (once.remove(note.text()) || note.text().equals("broken")) {
                throw failing(Failure.Category.NETWORK);
            }
        });
        for (String key : List.of("flaky", "broken", "good")) {
            node.send(POST, note(key, "l"));
        }
        for (int i = 0; i < 5; i++) {
            work(node);
            time.advance(Duration.ofSeconds(3));
        }
        RetryReport report = node.operator()
                .retries(AuditFilter.ALL, Instant.ofEpochMilli(time.millis()).minusSeconds(3600));
        assertThat(report.policies()).hasSize(2).allSatisfy(line -> {
            assertThat(line.policy()).isEqualTo("RETRY_STEADY");
            assertThat(line.attempts()).isEqualTo(4);
            assertThat(line.succeeded()).isEqualTo(1);
            assertThat(line.gaveUp()).isEqualTo(1);
            assertThat(line.successRate()).isEqualTo(0.5);
            assertThat(line.averageAttempts()).isEqualTo(2);
        });
        assertThat(report.policies().stream().map(RetryReport.PolicyRetries::category))
                .containsExactly("*", "network");
    }

    @Test
    void directCallWithARegisteredHandlerIsReplayedToIt() {
        engine.run(REFUND, call("k"), (order, run) -> {
            throw failing(Failure.Category.BUSINESS_RULE);
        });
        assertThat(state(REFUND, "k")).isEqualTo(State.FAILED_TERMINAL);
        engine.handle(REFUND, (order, run) -> new Receipt("by its handler, attempt " + run.attempt()));
        assertThat(engine.operator().replay(id(REFUND, "k"), new Warrant("ann", "try again")))
                .isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(state(REFUND, "k")).isEqualTo(State.QUEUED);
        work();
        assertReplayed(engine.run(REFUND, call("k")), "by its handler, attempt 1");
    }

    @Test
    void deliveryWhoseOutputIsInvalidIsADeadLetterAtOnce() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            throw failing(Failure.Category.INVALID_OUTPUT);
        });
        send(MAIL, "m");
        workThrough(Duration.ofSeconds(10), 4);
        assertThat(handled).containsExactly("m");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void d9_deliveryThatMeetsShadowBetweenItsStepsIsShadowed() {
        engine.handle(MAIL, (note, run) -> {
            run.step("first", String.class, key -> "first");
            otherNode()
                    .operator()
                    .setMode(new Switchboard.Setting(null, "mail", Mode.SHADOW), new Warrant("ann", "dry"));
            run.step("second", String.class, key -> "second");
        });
        send(MAIL, "m");
        work();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.SHADOWED);
    }
}
