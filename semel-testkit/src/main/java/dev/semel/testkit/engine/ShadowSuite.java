package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.ShadowSends;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays.ReplayOutcome;
import dev.semel.operator.ShadowMessages.ComparedMessage;
import dev.semel.operator.ShadowMessages.Comparison;
import dev.semel.operator.ShadowMessages.ShadowDifference;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.nio.charset.StandardCharsets;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Decisions in SHADOW: atomic handlers run and are rolled back, and what they would have sent can be compared and sent for real. */
abstract class ShadowSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "a dry run");
    private static final Operation.Atomic<Order, Receipt> INNER =
            Operation.atomic("inner", Order.class, Receipt.class).withPolicy("steady");
    private static final Duration DAY = Duration.ofHours(24);

    ShadowSuite(EngineContract contract) {
        super(contract);
    }

    private void mode(@Nullable String operation, Mode mode) {
        engine.operator().setMode(new Switchboard.Setting(null, operation, mode), WARRANT);
    }

    /** A decision that sends one message to a leased channel, with the key and text of the note. */
    private Channel.AtomicDelivery<Note> deciding() {
        return (note, tx) -> {
            effects.apply(tx, note.text());
            handled.add("decided " + note.text());
            tx.send(MAIL, note("m-" + note.text(), "lane"));
        };
    }

    private static Message<Note> otherNote(String key) {
        return Message.of(ACME, Key.of(key), new Note("lane", "other"));
    }

    private RecordId shadowId(String key) {
        return id(MAIL.operation(), key).shadow();
    }

    private @Nullable Row shadow(String key) {
        RecordId id = shadowId(key);
        return store.ledger().find(List.of(id)).live(id);
    }

    private State shadowState(String key) {
        return Objects.requireNonNull(shadow(key), "nothing is recorded of " + key)
                .state();
    }

    private @Nullable State mailState(String key) {
        return state(MAIL.operation(), key);
    }

    /** Runs a direct decision in SHADOW that would send this message. */
    private Answer<Receipt> decide(Engine node, String key, Message<Note> message) {
        return node.run(CHARGE, call(key), (order, tx) -> {
            effects.apply(tx, key);
            tx.send(MAIL, message);
            return new Receipt("r-" + key);
        });
    }

    private Comparison compared() {
        return engine.operator().shadows().compare(RecordFilter.ALL, EnumSet.allOf(ShadowDifference.class), 100);
    }

    private ReplayOutcome replay(String key) {
        return engine.operator().replay(shadowId(key), WARRANT);
    }

    @Test
    void d9_messageOfAnAtomicChannelIsDecidedAndRolledBackAndEndsShadowed() throws Exception {
        mode(POST.name(), Mode.SHADOW);
        engine.handle(POST, deciding());
        engine.handle(MAIL, listing());
        send(POST, "a");
        work();
        assertThat(handled).containsExactly("decided a");
        assertThat(effects.count("a")).isZero();
        assertThat(row(POST, "a").state()).isEqualTo(State.SHADOWED);
        assertThat(row(POST, "a").payload()).isNotNull();
        assertThat(story(POST, "a")).containsExactly("operation.queued", "operation.shadowed");
        assertThat(mailState("m-a")).isNull();
        Row would = Objects.requireNonNull(shadow("m-a"));
        assertThat(would.state()).isEqualTo(State.SHADOWED);
        assertThat(new String(Objects.requireNonNull(would.payload()), StandardCharsets.UTF_8))
                .contains("m-a");
        assertThat(would.header().parent()).isEqualTo(row(POST, "a").id());
        assertThat(ShadowSends.isOne(would)).isTrue();
        assertThat(ShadowSends.isOne(row(POST, "a"))).isFalse();
        time.advance(Duration.ofHours(1));
        work();
        assertThat(handled).containsExactly("decided a");
    }

    @Test
    void d9_leasedHandlersAreStillNotInvoked() {
        mode(null, Mode.SHADOW);
        engine.handle(MAIL, listing());
        send(MAIL, "a");
        work();
        assertThat(handled).isEmpty();
        assertThat(row(MAIL, "a").state()).isEqualTo(State.SHADOWED);
    }

    @Test
    void d9_modeThatChangesAfterTheClaimDecidesHowTheMessageRuns() throws Exception {
        for (Mode before : List.of(Mode.LIVE, Mode.SHADOW)) {
            Mode after = before == Mode.LIVE ? Mode.SHADOW : Mode.HALTED;
            mode(POST.name(), before);
            Engine node = pausedAfterItsClaim(time, () -> {
                mode(POST.name(), after);
                time.advance(Duration.ofMillis(1_001));
            });
            node.handle(POST, deciding());
            send(POST, before.name());
            node.duties().worker().turn();
            assertThat(effects.count(before.name())).isZero();
            assertThat(mailState("m-" + before.name())).isNull();
            assertThat(row(POST, before.name()).state())
                    .isEqualTo(after == Mode.SHADOW ? State.SHADOWED : State.QUEUED);
            assertThat(shadow("m-" + before.name()) != null).isEqualTo(after == Mode.SHADOW);
            stop(node);
            mode(POST.name(), Mode.LIVE);
            work();
        }
    }

    @Test
    void d9_tenantsInShadowAndLiveShareAClaim() throws Exception {
        engine.operator().setMode(new Switchboard.Setting("globex", null, Mode.SHADOW), WARRANT);
        engine.handle(POST, deciding());
        for (int i = 0; i < 5; i++) {
            send(POST, "live" + i);
            engine.send(
                    POST, Message.of(dev.semel.Tenant.of("globex"), Key.of("dry" + i), new Note("lane", "dry" + i)));
        }
        work();
        for (int i = 0; i < 5; i++) {
            assertThat(effects.count("live" + i)).isEqualTo(1);
            assertThat(effects.count("dry" + i)).isZero();
            assertThat(row(POST, "live" + i).state()).isEqualTo(State.COMPLETED);
            assertThat(mailState("m-live" + i)).isEqualTo(State.QUEUED);
        }
    }

    @Test
    void laneGoesOnBehindADecisionInShadow() {
        mode(BOOK.name(), Mode.SHADOW);
        engine.handle(BOOK, deciding());
        List.of("a", "b", "c").forEach(key -> send(BOOK, key));
        work();
        assertThat(handled).containsExactly("decided a", "decided b", "decided c");
        assertThat(List.of("a", "b", "c")).allMatch(key -> row(BOOK, key).state() == State.SHADOWED);
    }

    @Test
    void deliveryThatFailsInShadowIsShadowedWithItsFailureAndSpendsNoAttempt() throws Exception {
        Set<String> failed = new HashSet<>();
        engine.handle(POST, (note, tx) -> {
            tx.send(MAIL, note("m-" + note.text(), "lane"));
            if (failed.add(note.text())) {
                throw failing(Failure.Category.valueOf(note.text()));
            }
            effects.apply(tx, note.text());
        });
        for (Failure.Category category :
                List.of(Failure.Category.NETWORK, Failure.Category.VALIDATION, Failure.Category.AUTH)) {
            mode(POST.name(), Mode.SHADOW);
            send(POST, category.name());
            work();
            Row row = row(POST, category.name());
            assertThat(row.state()).isEqualTo(State.SHADOWED);
            assertThat(row.status().attempt()).isZero();
            assertThat(engine.operator().explain(row).sentence()).contains("would have failed: " + category.code());
            assertThat(shadow("m-" + category)).isNull();
            assertThat(story(POST.operation(), category.name()))
                    .containsExactly("operation.queued", "operation.shadowed");
            mode(POST.name(), Mode.LIVE);
            assertThat(engine.operator().replay(row.id(), WARRANT)).isEqualTo(ReplayOutcome.DONE);
            work();
            assertThat(row(POST, category.name()).state())
                    .as("and its channel is not paused")
                    .isEqualTo(State.COMPLETED);
            assertThat(effects.count(category.name())).isEqualTo(1);
        }
    }

    @Test
    void messageThatWouldDieInShadowHasNoFallbackAndHoldsUpNoLane() throws Exception {
        mode(BOOK.name(), Mode.SHADOW);
        engine.onDead(BOOK, (death, tx) -> effects.apply(tx, "fallback"));
        engine.handle(BOOK, (note, tx) -> {
            if (note.text().equals("a")) {
                throw failing(Failure.Category.VALIDATION);
            }
        });
        send(BOOK, "a", "lane");
        send(BOOK, "b", "lane");
        work();
        assertThat(row(BOOK, "a").state()).isEqualTo(State.SHADOWED);
        assertThat(row(BOOK, "b").state()).isEqualTo(State.SHADOWED);
        mode(BOOK.name(), Mode.LIVE);
        workThrough(LEASE, 2);
        assertThat(effects.count("fallback")).isZero();
        assertThat(row(BOOK, "a").state()).isEqualTo(State.SHADOWED);
    }

    @Test
    void directCallRecordsWhatItWouldHaveSentWithItsEvent() throws Exception {
        mode(CHARGE.name(), Mode.SHADOW);
        assertThat(decide(engine, "k", note("m", "lane"))).isInstanceOf(Answer.Shadowed.class);
        assertThat(effects.count("k")).isZero();
        assertThat(state(CHARGE, "k")).isNull();
        assertThat(mailState("m")).isNull();
        assertThat(shadowState("m")).isEqualTo(State.SHADOWED);
        assertThat(story(CHARGE, "k")).containsExactly("operation.shadowed");
        assertThat(exported().stream()
                        .filter(event -> event.toString().contains(shadowId("m").hex()))
                        .map(event -> event.get("type")))
                .containsExactly("operation.shadowed");
        engine.handle(MAIL, listing());
        time.advance(Duration.ofMinutes(5));
        work();
        assertThat(handled).isEmpty();
    }

    @Test
    void repeatedRunsConvergeAndTheNewestPayloadCounts() {
        mode(CHARGE.name(), Mode.SHADOW);
        for (int i = 0; i < 3; i++) {
            decide(engine, "k" + i, note("m", "lane"));
        }
        assertThat(compared().total()).isEqualTo(1);
        decide(engine, "again", otherNote("m"));
        assertThat(compared().total()).isEqualTo(1);
        assertThat(new String(
                        Objects.requireNonNull(
                                Objects.requireNonNull(shadow("m")).payload()),
                        StandardCharsets.UTF_8))
                .contains("other");
        mode(CHARGE.name(), Mode.LIVE);
        assertThat(replay("m")).isEqualTo(ReplayOutcome.DONE);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("other");
    }

    @Test
    void savepointThatTheHandlerUndidIsNotRecorded() throws Exception {
        assumeTrue(connect().isPresent(), "the store has no savepoints");
        mode(CHARGE.name(), Mode.SHADOW);
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(MAIL, note("before", "lane"));
            Savepoint savepoint = tx.connection().setSavepoint("mine");
            tx.send(MAIL, note("undone", "lane"));
            tx.connection().rollback(savepoint);
            tx.send(MAIL, note("after", "lane"));
            return new Receipt("r");
        });
        assertThat(shadowState("before")).isEqualTo(State.SHADOWED);
        assertThat(shadowState("after")).isEqualTo(State.SHADOWED);
        assertThat(shadow("undone")).isNull();
    }

    @Test
    void innerOperationInShadowRecordsWithTheCommitOfTheOuter() throws Exception {
        mode(INNER.name(), Mode.SHADOW);
        for (boolean fails : List.of(true, false)) {
            engine.run(CHARGE, call("k-" + fails), (order, tx) -> {
                tx.send(MAIL, note("outer-" + fails, "lane"));
                assertThat(engine.run(INNER, call("inner"), (payload, inner) -> {
                            inner.send(MAIL, note("inner-" + fails, "lane"));
                            return new Receipt("i");
                        }))
                        .isInstanceOf(Answer.Shadowed.class);
                if (fails) {
                    throw failing(Failure.Category.BUSINESS_RULE);
                }
                return new Receipt("r");
            });
            assertThat(mailState("outer-" + fails)).isEqualTo(fails ? null : State.QUEUED);
            assertThat(mailState("inner-" + fails)).isNull();
            assertThat(shadow("inner-" + fails) == null).isEqualTo(fails);
        }
    }

    @Test
    void innerOperationOfARunInShadowIsRecordedWithIt() {
        mode(null, Mode.SHADOW);
        engine.run(CHARGE, call("k"), (order, tx) -> {
            engine.run(INNER, call("inner"), (payload, inner) -> {
                inner.send(MAIL, note("inner", "lane"));
                return new Receipt("i");
            });
            tx.send(MAIL, note("outer", "lane"));
            return new Receipt("r");
        });
        assertThat(shadowState("inner")).isEqualTo(State.SHADOWED);
        assertThat(shadowState("outer")).isEqualTo(State.SHADOWED);
    }

    @Test
    void recordedMessageIsNoDuplicateOfARealOne() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k", note("m", "lane"));
        Sent sent = send(MAIL, "m");
        assertThat(((Sent.Accepted) sent).first()).isTrue();
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void replaySendsItForRealOnce() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k", note("m", "lane"));
        assertThat(replay("m")).isEqualTo(ReplayOutcome.DONE);
        assertThat(mailState("m")).isEqualTo(State.QUEUED);
        assertThat(shadowState("m")).isEqualTo(State.COMPLETED);
        assertThat(replay("m")).isEqualTo(ReplayOutcome.ALREADY);
        engine.handle(MAIL, listing());
        work();
        assertThat(replay("m")).isEqualTo(ReplayOutcome.ALREADY);
        work();
        assertThat(handled).containsExactly("m");
        assertThat(((Sent.Accepted) send(MAIL, "m")).first()).isFalse();
        assertThat(story(MAIL, "m")).containsSubsequence("operation.queued", "operation.executed");
    }

    @Test
    void replayOfOneThatWasSentMeanwhileSendsNothing() {
        mode(CHARGE.name(), Mode.SHADOW);
        send(MAIL, "earlier");
        decide(engine, "k1", note("earlier", "lane"));
        decide(engine, "k2", note("later", "lane"));
        send(MAIL, "later");
        engine.handle(MAIL, listing());
        work();
        assertThat(replay("earlier")).isEqualTo(ReplayOutcome.ALREADY);
        assertThat(replay("later")).isEqualTo(ReplayOutcome.ALREADY);
        work();
        assertThat(handled).containsExactlyInAnyOrder("earlier", "later");
        assertThat(shadowState("later")).isEqualTo(State.COMPLETED);
    }

    @Test
    void replayOfOneWhoseKeyHasAnotherPayloadIsRefused() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k", note("m", "lane"));
        engine.send(MAIL, otherNote("m"));
        assertThat(replay("m")).isEqualTo(ReplayOutcome.REFUSED);
        assertThat(shadowState("m")).isEqualTo(State.SHADOWED);
        assertThat(engine.operator().discard(shadowId("m"), WARRANT)).isEqualTo(ReplayOutcome.DONE);
        assertThat(replay("m")).isEqualTo(ReplayOutcome.REFUSED);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("other");
    }

    /** A message that was delivered and has expired must not look as if it had never been sent. */
    @Test
    void recordOfShadowNeverOutlivesWhatIsRememberedOfTheRealMessage() {
        mode(CHARGE.name(), Mode.SHADOW);
        engine.handle(MAIL, listing());
        send(MAIL, "before");
        work();
        time.advance(DAY.minusHours(1));
        decide(engine, "k1", note("before", "lane"));
        decide(engine, "k2", note("after", "lane"));
        send(MAIL, "after");
        work();
        for (int hours = 0; hours < 30; hours++) {
            for (String key : List.of("before", "after")) {
                boolean remembered =
                        store.ledger().find(List.of(id(MAIL.operation(), key))).live(id(MAIL.operation(), key)) != null;
                assertThat(remembered || shadow(key) == null)
                        .as("%s, %d hours later", key, hours)
                        .isTrue();
            }
            time.advance(Duration.ofHours(1));
        }
    }

    @Test
    void twoReplaysAtOnceSendItOnce() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k", note("m", "lane"));
        Row seen = Objects.requireNonNull(shadow("m"));
        assertThat(seen.state()).isEqualTo(State.SHADOWED);
        Engine other = otherNode();
        assertThat(List.of(replay("m"), other.operator().replay(shadowId("m"), WARRANT)))
                .containsExactly(ReplayOutcome.DONE, ReplayOutcome.ALREADY);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void comparisonTellsNotSentSameAndOtherPayload() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k1", note("absent", "lane"));
        decide(engine, "k2", note("same", "lane"));
        decide(engine, "k3", note("differing", "lane"));
        send(MAIL, "same");
        engine.send(MAIL, otherNote("differing"));
        mode(MAIL.name(), Mode.SHADOW);
        engine.handle(MAIL, listing());
        send(MAIL, "itself shadowed");
        work();
        Comparison all = compared();
        assertThat(all.complete()).isTrue();
        assertThat(all.counts())
                .isEqualTo(Map.of(
                        ShadowDifference.NOT_SENT,
                        1L,
                        ShadowDifference.SAME,
                        1L,
                        ShadowDifference.OTHER_PAYLOAD,
                        1L,
                        ShadowDifference.ONLY_SENT,
                        1L));
        for (ComparedMessage each : all.shown()) {
            assertThat(each.difference())
                    .isEqualTo(
                            switch (each.any().header().key()) {
                                case "absent" -> ShadowDifference.NOT_SENT;
                                case "same" -> ShadowDifference.SAME;
                                case "itself shadowed" -> ShadowDifference.ONLY_SENT;
                                default -> ShadowDifference.OTHER_PAYLOAD;
                            });
            assertThat(each.real() == null).isEqualTo(each.difference() == ShadowDifference.NOT_SENT);
        }
        Comparison differing =
                engine.operator().shadows().compare(RecordFilter.ALL, EnumSet.of(ShadowDifference.OTHER_PAYLOAD), 100);
        assertThat(differing.shown()).hasSize(1);
        assertThat(differing.total()).isEqualTo(3);
    }

    private List<String> onlySent() {
        return engine
                .operator()
                .shadows()
                .compare(RecordFilter.ALL, EnumSet.of(ShadowDifference.ONLY_SENT), 100)
                .shown()
                .stream()
                .map(each -> each.any().header().key())
                .sorted()
                .toList();
    }

    @Test
    void comparisonListsWhatWasSentAndShadowWouldNotHaveSent() {
        send(MAIL, "before");
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k1", note("replayed", "lane"));
        decide(engine, "k2", note("discarded", "lane"));
        decide(engine, "k3", note("open", "lane"));
        assertThat(onlySent()).as("nothing was sent since").isEmpty();
        send(MAIL, "replayed");
        send(MAIL, "discarded");
        send(MAIL, "extra");
        send(MAIL, "done");
        send(CHAT, "of another channel");
        engine.send(MAIL, Message.of(Tenant.of("other"), Key.of("of another tenant"), new Note("lane", "other")));
        assertThat(replay("replayed")).isEqualTo(ReplayOutcome.ALREADY);
        engine.operator().discard(shadowId("discarded"), WARRANT);
        assertThat(onlySent()).containsExactly("done", "extra");
        engine.handle(MAIL, listing());
        work();
        assertThat(state(MAIL.operation(), "done")).isEqualTo(State.COMPLETED);
        assertThat(onlySent()).containsExactly("done", "extra");
    }

    /** Stored by a version of the application before the one that sends it for real. */
    @Test
    void messageOfAnotherSchemaVersionIsComparedByItsMeaning() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k1", note("same", "lane"));
        decide(engine, "k2", note("differing", "lane"));
        Channel.Leased<Note> newer = MAIL.withSchemaVersion(2);
        engine.send(newer, note("same", "lane")).orThrow();
        engine.send(newer, otherNote("differing")).orThrow();
        for (Operator operator : List.of(engine.operator(), Operator.on(store))) {
            assertThat(operator.shadows()
                            .compare(RecordFilter.ALL, EnumSet.allOf(ShadowDifference.class), 100)
                            .counts())
                    .isEqualTo(Map.of(ShadowDifference.SAME, 1L, ShadowDifference.OTHER_PAYLOAD, 1L));
        }
        assertThat(replay("differing")).isEqualTo(ReplayOutcome.REFUSED);
        assertThat(replay("same")).isEqualTo(ReplayOutcome.ALREADY);
    }

    /** The process dies, or the reply is lost, when the decision is recorded. */
    @Test
    void d9_decisionWhoseRecordIsLostIsDeliveredAgainAndRecordedOnce() throws Exception {
        for (Faults.Fault fault : List.of(Faults.Fault.FAIL_BEFORE, Faults.Fault.FAIL_AFTER)) {
            String key = fault.name();
            mode(POST.name(), Mode.SHADOW);
            AtomicBoolean armed = new AtomicBoolean();
            AtomicInteger transactions = new AtomicInteger();
            Engine node = start(
                    new FaultyStore(
                            reopened(),
                            call -> call == StoreCall.COMMIT && armed.get() && transactions.incrementAndGet() == 1
                                    ? fault
                                    : Faults.Fault.NONE),
                    settings -> settings);
            node.handle(POST, deciding());
            send(POST, key);
            armed.set(true);
            node.duties().worker().turn();
            armed.set(false);
            assertThat(transactions.get()).isGreaterThanOrEqualTo(1);
            for (int i = 0; i < 3; i++) {
                time.advance(LEASE);
                work(node);
            }
            stop(node);
            assertThat(effects.count(key)).isZero();
            assertThat(row(POST, key).state()).isEqualTo(State.SHADOWED);
            assertThat(shadowState("m-" + key)).isEqualTo(State.SHADOWED);
            assertThat(mailState("m-" + key)).isNull();
        }
        assertThat(compared().total()).isEqualTo(2);
    }

    @Test
    void messageThatWasReplayedForRealSendsForReal() throws Exception {
        mode(POST.name(), Mode.SHADOW);
        engine.handle(POST, deciding());
        engine.handle(MAIL, listing());
        send(POST, "a");
        work();
        mode(POST.name(), Mode.LIVE);
        assertThat(engine.operator().replay(row(POST, "a").id(), WARRANT)).isEqualTo(ReplayOutcome.DONE);
        work();
        assertThat(effects.count("a")).isEqualTo(1);
        assertThat(handled).containsExactly("decided a", "decided a", "m-a");
        assertThat(compared().counts()).isEqualTo(Map.of(ShadowDifference.SAME, 1L));
        assertThat(replay("m-a")).isEqualTo(ReplayOutcome.ALREADY);
        work();
        assertThat(handled).hasSize(3);
    }
}
