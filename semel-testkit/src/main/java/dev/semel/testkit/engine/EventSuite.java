package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.store.AuditFilter;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The content of a record's audit events, written by any node and at any time after the request. */
abstract class EventSuite extends ChannelFixture {
    private static final Call.Origin ORIGIN = Call.Origin.UNSTATED
            .withCorrelationId("c-1")
            .withTraceId("trace-1")
            .withRequestId("request-1")
            .withActor("user-7", "user")
            .withSource("slack")
            .withAggregateVersion(3);

    private static final Map<String, Object> STATED = Map.of(
            "trace_id", "trace-1",
            "request_id", "request-1",
            "actor", "user-7",
            "actor_type", "user",
            "source", "slack",
            "aggregate_version", 3L);

    EventSuite(EngineContract contract) {
        super(contract);
    }

    private void sendFromUser(Channel<Note> channel, String key) {
        engine.send(channel, note(key, "lane").withOrigin(ORIGIN));
    }

    /** All events of the record, oldest first, with what was only counted so far written down. */
    private List<AuditEvent> events(Operation<?, ?> operation, String key) {
        engine.duties().replays().flush(true);
        List<AuditEvent> events = new ArrayList<>(store.audit().newest(AuditFilter.of(id(operation, key)), 100).stream()
                .map(AuditEvent::new)
                .toList());
        Collections.reverse(events);
        return events;
    }

    private void assertOrigin(Operation<?, ?> operation, String key, String... types) {
        List<AuditEvent> events = events(operation, key);
        assertThat(events).extracting(AuditEvent::type).containsExactly(types);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.fields()).as(event.type()).containsAllEntriesOf(STATED);
            assertThat(event.fields()).containsEntry("correlation_id", "c-1");
        });
    }

    @Test
    void eventsOfADeliverySayWhoSentTheMessage() {
        engine.handle(MAIL, listing());
        sendFromUser(MAIL, "k");
        work();
        assertOrigin(MAIL.operation(), "k", "operation.queued", "operation.executed");
    }

    @Test
    void eventsOfAnAtomicDeliverySayWhoSentTheMessage() {
        engine.handle(POST, (note, tx) -> handled.add(note.text()));
        sendFromUser(POST, "k");
        work();
        assertOrigin(POST.operation(), "k", "operation.queued", "operation.executed");
    }

    @Test
    void eventsOfATakeoverByAnotherNodeSayWhoSentTheMessage() {
        sendFromUser(MAIL, "k");
        claim(MAIL);
        time.advance(LEASE.plusSeconds(1));
        Engine other = otherNode();
        other.handle(MAIL, listing());
        work(other);
        assertOrigin(MAIL.operation(), "k", "operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void eventsOfAnInterruptedDeliveryThatIsReconciledSayWhoSentTheMessage() {
        Channel.Leased<Note> once =
                Channel.leased("once", Note.class).withPolicy("steady").asUnrepeatable();
        engine.handle(once, listing());
        engine.reconcile(once.operation(), (note, asked) -> Reconciler.Verdict.noEffect());
        sendFromUser(once, "k");
        claim(once);
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        engine.duties().reconciliation().reconcile();
        work();
        assertOrigin(
                once.operation(),
                "k",
                "operation.queued",
                "operation.unknown",
                "operation.reconciled",
                "operation.executed");
    }

    @Test
    void eventsOfACallThatTheSweeperTakesOverSayWhoMadeTheCall() {
        Engine other = otherNode();
        other.handle(NOTIFY, (order, run) -> new Receipt("r"));
        Answer<Receipt> first = engine.run(NOTIFY, call("k").withOrigin(ORIGIN), (order, run) -> {
            time.advance(LEASE.plusSeconds(1));
            other.duties().sweeper().sweep();
            return new Receipt("late");
        });
        assertThat(first).isNotInstanceOf(Answer.Failed.class);
        assertThat(state(NOTIFY, "k")).isEqualTo(State.COMPLETED);
        assertOrigin(NOTIFY, "k", "operation.taken_over", "operation.executed", "operation.replayed");
    }

    @Test
    void messageWhoseAttemptsRanOutWritesThatAndThenThatItIsADeadLetter() {
        engine.handle(MAIL, (note, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        sendFromUser(MAIL, "k");
        workThrough(Duration.ofSeconds(5), 3);
        assertOrigin(
                MAIL.operation(),
                "k",
                "operation.queued",
                "retry.attempt",
                "retry.attempt",
                "retry.exhausted",
                "system.error");
        AuditEvent death = events(MAIL.operation(), "k").get(4);
        assertThat(death.fields())
                .containsEntry("attempt", 3L)
                .containsEntry("category", "network")
                .containsEntry("recovery_action", "replay or discard")
                .containsEntry(
                        "fingerprint",
                        HexFormat.of()
                                .formatHex(row(MAIL, "k").header().fingerprint().bytes()));
    }

    @Test
    void manyMessagesOfOneLaneThatDieTogetherWriteBothEventsEach() {
        engine.handle(CHAT, (note, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        List<String> keys = List.of("a", "b", "c");
        keys.forEach(key -> sendFromUser(CHAT, key));
        workThrough(Duration.ofSeconds(5), 12);
        assertThat(keys).allSatisfy(key -> assertThat(story(CHAT, key)).endsWith("retry.exhausted", "system.error"));
    }

    @Test
    void atomicDeliveryThatIsLostTooOftenWritesThatAndThenThatItIsADeadLetter() {
        engine.handle(POST, (note, tx) -> handled.add(note.text()));
        sendFromUser(POST, "k");
        abandon(POST, 3);
        engine.duties().sweeper().sweep();
        assertThat(state(POST.operation(), "k")).isEqualTo(State.FAILED_TERMINAL);
        assertOrigin(POST.operation(), "k", "operation.queued", "retry.exhausted", "system.error");
    }

    @Test
    void messageThatItsReconcilerFailsWritesThatAndThenThatItIsADeadLetter() {
        Channel.Leased<Note> once =
                Channel.leased("once", Note.class).withPolicy("steady").asUnrepeatable();
        engine.handle(once, listing());
        engine.reconcile(
                once.operation(),
                (note, asked) -> Reconciler.Verdict.failed(Failure.of(Failure.Category.BUSINESS_RULE, "closed")));
        sendFromUser(once, "k");
        claim(once);
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        engine.duties().reconciliation().reconcile();
        assertOrigin(
                once.operation(), "k", "operation.queued", "operation.unknown", "operation.reconciled", "system.error");
    }

    @Test
    void replayNamesTheFirstEventAndTheRequestOfTheFirstCall() {
        for (Operation<Order, Receipt> operation : List.of(CHARGE, NOTIFY)) {
            run(operation, call("k").withOrigin(ORIGIN));
            run(operation, call("k").withOrigin(ORIGIN.withRequestId("request-2")));
            run(operation, call("k").withOrigin(ORIGIN.withRequestId("request-3")));
            List<AuditEvent> events = events(operation, "k");
            assertThat(events).extracting(AuditEvent::type).containsExactly("operation.executed", "operation.replayed");
            assertThat(events.get(1).fields())
                    .containsEntry("request_id", "request-2")
                    .containsEntry("count", 2L)
                    .containsEntry("fence", 0L)
                    .containsEntry("first_request_id", "request-1")
                    .containsEntry("first_event", events.get(0).fields().get("ref"));
        }
    }

    @Test
    void replayFromTheLocalCacheNamesTheFirstRun() {
        Engine caching = start(reopened(), settings -> settings.withLocalCache(10));
        caching.run(NOTIFY, call("k").withOrigin(ORIGIN), (order, run) -> new Receipt("r"));
        caching.run(NOTIFY, call("k").withOrigin(ORIGIN.withRequestId("2")), (order, run) -> new Receipt("again"));
        caching.duties().replays().flush(true);
        List<AuditEvent> events = events(NOTIFY, "k");
        assertThat(events.get(1).fields())
                .containsEntry("type", "operation.replayed")
                .containsEntry("first_request_id", "request-1")
                .containsEntry("first_event", events.get(0).fields().get("ref"));
    }

    private void run(Operation<Order, Receipt> operation, Call<Order> call) {
        Answer<Receipt> answer = operation instanceof Operation.Atomic<Order, Receipt> atomic
                ? engine.run(atomic, call, charging("k"))
                : engine.run((Operation.Leased<Order, Receipt>) operation, call, (order, run) -> new Receipt("r"));
        assertThat(answer.orThrow()).isNotNull();
    }

    @Test
    void replayOfAListNamesTheFirstEventOfEachCall() {
        List<Call<Order>> calls =
                List.of(call("a").withOrigin(ORIGIN), call("b").withOrigin(ORIGIN.withRequestId("request-b")));
        engine.runAll(CHARGE, calls, (order, tx) -> new Receipt("r"));
        engine.runAll(CHARGE, calls, (order, tx) -> new Receipt("r"));
        assertThat(events(CHARGE, "b").get(1).fields())
                .containsEntry("type", "operation.replayed")
                .containsEntry("first_request_id", "request-b")
                .containsEntry(
                        "first_event", events(CHARGE, "b").get(0).fields().get("ref"));
    }

    @Test
    void duplicateMessageNamesTheEventAndTheRequestByWhichItWasAccepted() {
        sendFromUser(MAIL, "k");
        engine.send(MAIL, note("k", "lane").withOrigin(ORIGIN.withRequestId("request-2")));
        List<AuditEvent> events = events(MAIL.operation(), "k");
        assertThat(events.get(1).fields())
                .containsEntry("type", "operation.replayed")
                .containsEntry("request_id", "request-2")
                .containsEntry("first_request_id", "request-1")
                .containsEntry("first_event", events.get(0).fields().get("ref"));
    }
}
