package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.AuditFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Policies that keep no dead letters, such as {@code ingress.ack}: a message that fails for good leaves its audit
 * event and nothing else.
 */
abstract class NoDeadLettersSuite extends ChannelFixture {
    private static final Channel.Leased<Note> HOOK =
            Channel.leased("hook", Note.class).withPolicy("ingress.ack").withLane(Note::lane);
    private static final Channel.Leased<Note> TWICE =
            Channel.leased("twice", Note.class).withPolicy("twice");
    private static final Channel.Atomic<Note> BRIEF =
            Channel.atomic("brief", Note.class).withPolicy("twice");

    private static final Policy TWICE_WITHOUT_DEAD_LETTERS = Policy.named("twice")
            .withMaxAttempts(2)
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withAttemptTimeout(Duration.ofMinutes(10))
            .withDeadLetters(false)
            .build();

    private Engine node;

    @SuppressWarnings("NullAway.Init")
    NoDeadLettersSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void startNodeWithThePolicy() {
        node = start(reopened(), settings -> settings.withPolicy(TWICE_WITHOUT_DEAD_LETTERS));
    }

    private void accept(Channel<Note> channel, String key) {
        node.send(channel, note(key, "lane"));
    }

    private Map<String, Object> lastEvent(Channel<Note> channel, String key) {
        return new AuditEvent(store.audit()
                        .newest(AuditFilter.of(id(channel.operation(), key)), 1)
                        .get(0))
                .fields();
    }

    private void assertNoDeadLetter(Channel<Note> channel, String key) {
        assertThat(row(channel.operation(), key)).isNull();
        assertThat(node.operator().letters().list(UnresolvedMessages.MessageFilter.ALL, 10))
                .isEmpty();
        assertThat(lastEvent(channel, key)).containsEntry("recovery_action", "none: its policy keeps no dead letters");
    }

    @Test
    void messageThatFailsAtItsOnlyAttemptIsNoDeadLetterAndItsLaneContinues() {
        node.handle(HOOK, (note, run) -> {
            if (note.text().equals("first")) {
                throw failing(Failure.Category.NETWORK);
            }
            handled.add(note.text());
        });
        accept(HOOK, "first");
        accept(HOOK, "second");
        work(node);
        assertNoDeadLetter(HOOK, "first");
        assertThat(story(HOOK, "first")).containsExactly("operation.queued", "retry.exhausted");
        assertThat(handled).containsExactly("second");
    }

    @Test
    void messageThatFailsForGoodIsNoDeadLetter() {
        node.handle(TWICE, (note, run) -> {
            throw failing(Failure.Category.VALIDATION);
        });
        accept(TWICE, "k");
        work(node);
        assertNoDeadLetter(TWICE, "k");
        assertThat(story(TWICE, "k")).containsExactly("operation.queued", "system.error");
    }

    @Test
    void messageThatWasDroppedCanBeSentAgain() {
        node.handle(HOOK, (note, run) -> {
            handled.add(note.text());
            if (handled.size() == 1) {
                throw failing(Failure.Category.NETWORK);
            }
        });
        accept(HOOK, "k");
        work(node);
        accept(HOOK, "k");
        work(node);
        assertThat(row(HOOK, "k").state()).isEqualTo(State.COMPLETED);
        assertThat(handled).containsExactly("k", "k");
    }

    @Test
    void atomicDeliveryThatIsLostTooOftenIsNoDeadLetter() {
        node.handle(BRIEF, (note, tx) -> handled.add(note.text()));
        accept(BRIEF, "k");
        abandon(BRIEF, 2);
        node.duties().sweeper().sweep();
        assertNoDeadLetter(BRIEF, "k");
        assertThat(story(BRIEF, "k")).containsExactly("operation.queued", "retry.exhausted");
    }

    @Test
    void nothingIsDroppedWithoutAnEventAlsoWhereEventsOfOutcomesAreSwitchedOff() {
        Engine silent = start(reopened(), EngineSettings::withoutAudit);
        silent.handle(HOOK, (note, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        silent.send(HOOK, note("k", "lane"));
        work(silent);
        assertThat(row(HOOK.operation(), "k")).isNull();
        assertThat(lastEvent(HOOK, "k")).containsEntry("type", "retry.exhausted");
    }

    @Test
    void directCallsWithATooLongRetryAfterAreKeptForTheFailureRetention() {
        Operation.Leased<Order, Receipt> leased =
                Operation.leased("direct", Order.class, Receipt.class).withPolicy("twice");
        Operation.Atomic<Order, Receipt> atomic =
                Operation.atomic("together", Order.class, Receipt.class).withPolicy("twice");
        Failure limited = new Failure(Failure.Category.RATE_LIMITED, "later", null, Duration.ofHours(5));
        List<Answer<Receipt>> answers = List.of(
                node.run(leased, call("k"), (order, run) -> {
                    throw limited.asException();
                }),
                node.run(atomic, call("k"), (order, tx) -> {
                    throw limited.asException();
                }));
        assertThat(answers).hasOnlyElementsOfType(Answer.Failed.class);
        for (Operation<Order, Receipt> operation : List.of(leased, atomic)) {
            assertIsKeptForTheFailureRetention(row(operation, "k"));
            assertThat(story(operation, "k")).isEqualTo(List.of("system.error"));
        }
    }

    @Test
    void messageThatItsReconcilerFailedIsKeptForTheFailureRetentionOnly() {
        Channel.Leased<Note> parking = TWICE.asUnrepeatable();
        node.handle(parking, listing());
        node.reconcile(parking, (note, about) -> Reconciler.Verdict.failed(Failure.of(Failure.Category.NETWORK, "no")));
        accept(parking, "k");
        claim(parking);
        time.advance(LEASE.plusSeconds(1));
        node.duties().sweeper().sweep();
        node.duties().reconciliation().reconcile();
        assertIsKeptForTheFailureRetention(row(parking, "k"));
        assertThat(handled).isEmpty();
    }

    private void assertIsKeptForTheFailureRetention(@Nullable Row row) {
        Status status = Objects.requireNonNull(row).status();
        assertThat(status.state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(status.at() - time.millis())
                .isEqualTo(TWICE_WITHOUT_DEAD_LETTERS.retention().failure().toMillis());
    }
}
