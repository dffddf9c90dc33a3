package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.Call;
import dev.semel.CallStatus;
import dev.semel.CallStatus.CallState;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.key.Keys;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where calls and messages stand, by key, by record id and by correlation id. */
abstract class StatusSuite extends ChannelFixture {
    private static final Tenant GLOBEX = Tenant.of("globex");
    private static final Warrant WARRANT = new Warrant("ann", "why");
    private static final Policy PARKING = STEADY.toBuilder()
            .withName("parking")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();

    StatusSuite(EngineContract contract) {
        super(contract);
    }

    private CallStatus status(Channel<Note> channel, String key) {
        return engine.status(channel, ACME, Key.of(key)).orElseThrow();
    }

    private static CallStatus status(Optional<CallStatus> found, CallState state, Next... next) {
        CallStatus status = found.orElseThrow();
        assertThat(status.state()).isEqualTo(state);
        assertThat(status.next()).containsExactlyInAnyOrder(next);
        assertThat(status.reason()).isNotBlank();
        return status;
    }

    @Test
    void callThatIsDoneIsFoundByItsKeyAndByItsRecordId() {
        charge("k");
        CallStatus status = status(engine.status(CHARGE, ACME, Key.of("k")), CallState.COMPLETED);
        assertThat(status.operation()).isEqualTo("charge");
        assertThat(status.tenant()).isEqualTo("acme");
        assertThat(status.recordId()).isEqualTo(id(CHARGE, "k").hex());
        assertThat(status.correlationId()).isEqualTo("c-1");
        assertThat(status.reason()).contains("is done: attempt 1");
        assertThat(status.failure()).isNull();
        assertThat(status.attempts()).isEqualTo(new CallStatus.Attempts(1, null));
        assertThat(engine.status(ACME, status.recordId())).contains(status);
    }

    @Test
    void unknownKeysAndIdsHaveNoStatus() {
        assertThat(engine.status(CHARGE, ACME, Key.of("k"))).isEmpty();
        assertThat(engine.status(ACME, id(CHARGE, "k").hex())).isEmpty();
        assertThat(engine.status(ACME, "not an id")).isEmpty();
        assertThat(engine.status(ACME, "")).isEmpty();
        assertThat(engine.story(ACME, "nobody's").calls()).isEmpty();
    }

    @Test
    void expiredRecordHasNoStatus() {
        charge("k");
        time.advance(STEADY.retention().success());
        assertThat(engine.status(CHARGE, ACME, Key.of("k"))).isEmpty();
        assertThat(engine.story(ACME, "c-1").calls()).isEmpty();
    }

    @Test
    void h4_tenantNeverSeesARecordOfAnother() {
        charge("k");
        String id = id(CHARGE, "k").hex();
        assertThat(engine.status(GLOBEX, id)).isEmpty();
        assertThat(engine.status(CHARGE, GLOBEX, Key.of("k"))).isEmpty();
        assertThat(engine.story(GLOBEX, "c-1").calls()).isEmpty();
    }

    @Test
    void h4_messageThatARunSentToAnotherTenantIsNotPartOfItsStory() {
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(MAIL, Message.of(GLOBEX, Key.of("theirs"), new Note("l", "theirs")));
            tx.send(MAIL, note("ours", "l"));
            return new Receipt("r");
        });
        assertThat(engine.story(ACME, "c-1").calls())
                .extracting(CallStatus::operation, CallStatus::tenant)
                .containsExactly(tuple("charge", "acme"), tuple("mail", "acme"));
    }

    @Test
    void messageThatWaitsSaysForWhatAndWhatCanBeDone() {
        engine.send(MAIL, note("m", "l").withDelay(Duration.ofSeconds(90)));
        CallStatus later =
                status(engine.status(MAIL, ACME, Key.of("m")), CallState.QUEUED, Next.CHECK_STATUS, Next.CANCEL);
        assertThat(later.reason()).contains("is due in 1 min 30 s");
        assertThat(later.attempts().next()).isEqualTo(Instant.ofEpochMilli(time.millis() + 90_000));
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.HALTED), WARRANT);
        assertThat(status(MAIL, "m").reason()).contains("mail is HALTED");
    }

    @Test
    void failedAttemptShowsItsCategoryItsReasonAndTheNextOne() {
        engine.handle(MAIL, (note, run) -> {
            throw Failure.of(Failure.Category.NETWORK, "host down, password=hunter2")
                    .asException();
        });
        send(MAIL, "m");
        work();
        CallStatus status = status(
                engine.status(MAIL, ACME, Key.of("m")), CallState.FAILED_RETRYABLE, Next.CHECK_STATUS, Next.CANCEL);
        assertThat(status.attempts().made()).isEqualTo(1);
        assertThat(status.attempts().next()).isEqualTo(Instant.ofEpochMilli(time.millis() + 1_000));
        assertThat(status.failure()).isNotNull();
        assertThat(status.failure().category()).isEqualTo(Failure.Category.NETWORK);
        assertThat(status.failure().reason()).startsWith("host down").doesNotContain("hunter2");
        assertThat(status.reason()).contains("is tried again in 1 s").doesNotContain("hunter2");
    }

    @Test
    void callThatFailedMayBeRepeated() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        status(
                engine.status(NOTIFY, ACME, Key.of("k")),
                CallState.FAILED_RETRYABLE,
                Next.RETRY,
                Next.CHECK_STATUS,
                Next.CANCEL);
    }

    @Test
    void runningUnknownDeadAndShadowedSaySo() {
        abandon(REFUND, "k");
        status(engine.status(REFUND, ACME, Key.of("k")), CallState.IN_PROGRESS, Next.CHECK_STATUS);
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        engine.run(REFUND, call("k"), (order, run) -> new Receipt("never"));
        status(engine.status(REFUND, ACME, Key.of("k")), CallState.UNKNOWN, Next.CHECK_STATUS, Next.CONTACT);

        engine.handle(MAIL, (note, run) -> {
            throw failing(Failure.Category.VALIDATION);
        });
        send(MAIL, "dead");
        work();
        assertThat(status(
                                engine.status(MAIL, ACME, Key.of("dead")),
                                CallState.FAILED_TERMINAL,
                                Next.CANCEL,
                                Next.CONTACT)
                        .reason())
                .contains("is dead after 1 attempt: validation");

        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.SHADOW), WARRANT);
        send(MAIL, "shadow");
        work();
        status(engine.status(MAIL, ACME, Key.of("shadow")), CallState.SHADOWED, Next.CANCEL, Next.CONTACT);
    }

    @Test
    void messageBehindAHeadThatIsDeadTellsNothingOfTheHead() {
        Channel.Leased<Note> strict = CHAT.withPolicy("parking");
        var node = start(store, settings -> settings.withPolicy(PARKING));
        node.handle(strict, (note, run) -> {
            throw Failure.of(Failure.Category.VALIDATION, "customer 4711 is blocked")
                    .asException();
        });
        node.send(strict, note("head", "secret lane"));
        node.send(strict, note("next", "secret lane"));
        work(node);
        CallStatus waiting =
                status(node.status(strict, ACME, Key.of("next")), CallState.QUEUED, Next.CHECK_STATUS, Next.CANCEL);
        assertThat(waiting.reason())
                .contains("waits behind an earlier message of its lane")
                .doesNotContain("4711")
                .doesNotContain("secret");
    }

    @Test
    void noticeOfAnAnswerLeadsToTheStatus() {
        abandon(REFUND, "k");
        Answer<Receipt> answer =
                engine.run(REFUND, call("k").withCorrelationId("c-of the retry"), (order, run) -> new Receipt("never"));
        Answer.Notice notice = ((Answer.InProgress<Receipt>) answer).notice();
        assertThat(notice.next()).contains(Next.CHECK_STATUS).doesNotContain(Next.CANCEL);
        assertThat(notice.recordId()).isNotNull();
        assertThat(engine.status(ACME, notice.recordId())).hasValueSatisfying(status -> {
            assertThat(status.state()).isEqualTo(CallState.IN_PROGRESS);
            assertThat(status.correlationId()).isEqualTo("c-1");
        });
    }

    @Test
    void everyCancelThatAnAnswerNamesCanBeCarriedOut() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        Answer.Notice notice = ((Answer.RetryLater<Receipt>) answer).notice();
        assertThat(notice.next()).contains(Next.CANCEL);
        assertThat(engine.cancel(ACME, String.valueOf(notice.recordId()), Cancellation.by("ann", "withdrawn")))
                .isInstanceOf(Cancelled.Closed.class);
        send(MAIL, "m");
        assertThat(status(MAIL, "m").next()).contains(Next.CANCEL);
    }

    @Test
    void keyWithATimeBucketIsFoundInTheNeighbouringBucket() {
        Key before =
                Keys.textInBucket("chat", "hello", Duration.ofMinutes(5), Instant.ofEpochMilli(1_799_999_999_000L));
        Key after = Keys.textInBucket("chat", "hello", Duration.ofMinutes(5), Instant.ofEpochMilli(1_800_000_001_000L));
        engine.run(CHARGE, Call.of(ACME, before, new Order("book", 1)), (order, tx) -> new Receipt("r"));
        status(engine.status(CHARGE, ACME, after), CallState.COMPLETED);
    }

    @Test
    void storyTellsAllThatOneCorrelationIdCausedParentsFirst() {
        engine.handle(MAIL, (note, run) -> {
            if (note.text().equals("first")) {
                run.send(POST, note("child of first", "l").withCorrelationId("another"));
            }
        });
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(MAIL, Message.of(ACME, Key.of("first"), new Note("l", "first")));
            tx.send(
                    MAIL,
                    Message.of(ACME, Key.of("second"), new Note("l", "second")).withDelay(Duration.ofDays(1)));
            return new Receipt("r");
        });
        engine.send(CHAT, note("alone", "l").withCorrelationId("c-1"));
        work();
        CallStory story = engine.story(ACME, "c-1");
        assertThat(story.cut()).isFalse();
        assertThat(story.calls())
                .extracting(CallStatus::recordId)
                .containsExactly(
                        id(CHARGE, "k").hex(),
                        id(MAIL.operation(), "first").hex(),
                        id(POST.operation(), "child of first").hex(),
                        id(MAIL.operation(), "second").hex(),
                        id(CHAT.operation(), "alone").hex());
        assertThat(story.calls())
                .extracting(each -> each.call().sentBy())
                .containsExactly(
                        null,
                        id(CHARGE, "k").hex(),
                        id(MAIL.operation(), "first").hex(),
                        id(CHARGE, "k").hex(),
                        null);
        assertThat(story.calls())
                .extracting(CallStatus::state)
                .containsExactly(
                        CallState.COMPLETED, CallState.COMPLETED, CallState.QUEUED, CallState.QUEUED, CallState.QUEUED);
    }

    @Test
    void longStoryIsCutAndSaysSo() {
        List<Message<Note>> many = IntStream.range(0, 201)
                .mapToObj(n -> note("m" + n, "l").withCorrelationId("c-many"))
                .toList();
        engine.sendAll(MAIL, many);
        CallStory story = engine.story(ACME, "c-many");
        assertThat(story.calls()).hasSize(200);
        assertThat(story.cut()).isTrue();
    }
}
