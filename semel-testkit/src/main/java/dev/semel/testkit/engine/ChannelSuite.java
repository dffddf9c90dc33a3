package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Sending and handling. */
abstract class ChannelSuite extends ChannelFixture {
    ChannelSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void messageIsHandledOnceAndSaysWhetherItWasNew() {
        assertThat(send(MAIL, "m")).isEqualTo(new Sent.Accepted(true, "c-m"));
        assertThat(send(MAIL, "m")).isEqualTo(new Sent.Accepted(false, "c-m"));
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        engine.handle(MAIL, listing());
        work();
        assertThat(send(MAIL, "m")).isEqualTo(new Sent.Accepted(false, "c-m"));
        work();
        assertThat(handled).containsExactly("m");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(story(MAIL, "m")).startsWith("operation.queued").contains("operation.executed");
    }

    @Test
    void sameKeyWithAnotherPayloadIsAConflictAndABadMessageIsRejected() {
        send(MAIL, "m");
        Sent other = engine.send(MAIL, Message.of(ACME, Key.of("m"), new Note("lane", "other")));
        assertThat(other).isInstanceOf(Sent.Conflict.class);
        assertThatThrownBy(other::orThrow).isInstanceOf(SemelException.NotSent.class);
        Note huge = new Note("lane", "x".repeat(2 << 20));
        assertThat(engine.send(MAIL, Message.of(ACME, Key.of("huge"), huge))).isInstanceOf(Sent.Rejected.class);
        assertThat(engine.send(CHAT, Message.of(ACME, Key.of("lane"), new Note("", "no lane"))))
                .isInstanceOf(Sent.Rejected.class);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void longListWhoseSecondPartFailsSaysThatTheOutcomeIsUnknownAndCanBeSentAgain() {
        Engine node = start(
                new FaultyStore(reopened(), Faults.nth(2, StoreCall.ENQUEUE, Faults.Fault.FAIL_BEFORE)),
                settings -> settings);
        List<Message<Note>> messages =
                IntStream.range(0, 514).mapToObj(n -> note("m" + n, "lane")).toList();
        assertThatThrownBy(() -> node.sendAll(MAIL, messages))
                .isInstanceOf(SemelException.OutcomeUnknown.class)
                .hasMessageContaining("512 of 514 messages are stored");
        assertThat(row(MAIL.operation(), "m511")).isNotNull();
        assertThat(row(MAIL.operation(), "m512")).isNull();
        assertThat(node.sendAll(MAIL, messages).stream()
                        .filter(sent -> sent.orThrow().first()))
                .hasSize(2);
    }

    @Test
    void a11_deadlineOfAMessageIsJudgedByTheClockOfTheLedger() {
        Policy timely = STEADY.toBuilder()
                .withName("timely")
                .withDeadline(Duration.ofMinutes(10))
                .build();
        for (int hours : new int[] {1, -1}) {
            ManualTime clock =
                    new ManualTime(time.millis() + Duration.ofHours(hours).toMillis());
            Engine node = start(reopened(), settings -> settings.withTime(clock).withPolicy(timely));
            for (Channel<Note> channel : List.of(MAIL.withPolicy("timely"), POST.withPolicy("timely"))) {
                node.send(channel, note("in time" + hours, "x"));
                assertThat(line(channel, "in time" + hours).deadline())
                        .isEqualTo(time.millis() + Duration.ofMinutes(10).toMillis());
                Instant before = Instant.ofEpochMilli(time.millis()).minusSeconds(60);
                node.send(channel, note("too late" + hours, "x").withDeadline(before));
            }
            node.handle(MAIL.withPolicy("timely"), listing());
            node.handle(POST.withPolicy("timely"), (note, tx) -> handled.add(note.text()));
            work(node);
            for (Channel<Note> channel : List.of(MAIL, POST)) {
                assertThat(row(channel, "in time" + hours).state()).isEqualTo(State.COMPLETED);
                assertThat(row(channel, "too late" + hours).state()).isEqualTo(State.FAILED_TERMINAL);
            }
        }
    }

    @Test
    void manyAreSentInOneGoWithOneAnswerEach() {
        List<Sent> sent = engine.sendAll(
                MAIL,
                List.of(
                        note("a", "l"),
                        note("b", "l"),
                        note("a", "l"),
                        Message.of(ACME, Key.of("b"), new Note("l", "other"))));
        assertThat(sent.get(0)).isEqualTo(new Sent.Accepted(true, "c-a"));
        assertThat(sent.get(1)).isEqualTo(new Sent.Accepted(true, "c-b"));
        assertThat(sent.get(2)).isEqualTo(new Sent.Accepted(false, "c-a"));
        assertThat(sent.get(3)).isInstanceOf(Sent.Conflict.class);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void messageSentInATransactionExistsExactlyIfTheEffectDoes() throws Exception {
        engine.handle(MAIL, listing());
        engine.run(CHARGE, call("kept"), (order, tx) -> {
            effects.apply(tx, "kept");
            tx.send(MAIL, Key.of("kept"), new Note("l", "kept"));
            return new Receipt("r");
        });
        Answer<Receipt> failed = engine.run(CHARGE, call("lost"), (order, tx) -> {
            tx.send(MAIL, Key.of("lost"), new Note("l", "lost"));
            throw failing(Failure.Category.BUSINESS_RULE);
        });
        assertThat(failed).isInstanceOf(Answer.Failed.class);
        work();
        assertThat(handled).containsExactly("kept");
        assertThat(row(MAIL, "kept").header().parent()).isEqualTo(id(CHARGE, "kept"));
        assertThat(row(MAIL, "kept").header().correlationId()).isEqualTo("c-4");
    }

    @Test
    void delayedMessageWaitsAndAMissedDeadlineIsADeadLetter() {
        engine.handle(MAIL, listing());
        engine.send(MAIL, note("later", "l").withDelay(Duration.ofMinutes(1)));
        engine.send(
                MAIL,
                note("at", "l").withStart(Instant.ofEpochMilli(time.millis()).plusSeconds(120)));
        engine.send(
                MAIL,
                note("missed", "l")
                        .withDelay(Duration.ofMinutes(5))
                        .withDeadline(Instant.ofEpochMilli(time.millis()).plusSeconds(200)));
        work();
        assertThat(handled).isEmpty();
        time.advance(Duration.ofSeconds(61));
        work();
        assertThat(handled).containsExactly("later");
        time.advance(Duration.ofMinutes(1));
        work();
        assertThat(handled).containsExactly("later", "at");
        time.advance(Duration.ofMinutes(5));
        work();
        assertThat(handled).containsExactly("later", "at");
        assertThat(row(MAIL, "missed").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void d3_poisonMessageIsBoundedDeadWithItsStoryAndTheOthersFlow() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (note.text().equals("poison")) {
                throw failing(Failure.Category.UPSTREAM_ERROR);
            }
        });
        send(MAIL, "poison");
        send(MAIL, "good");
        workThrough(Duration.ofSeconds(3), 4);
        assertThat(handled).contains("good1", "poison1", "poison2", "poison3").hasSize(4);
        assertThat(row(MAIL, "poison").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(row(MAIL, "poison").payload()).isNotNull();
        assertThat(story(MAIL, "poison"))
                .containsExactly(
                        "operation.queued", "retry.attempt", "retry.attempt", "retry.exhausted", "system.error");
    }

    @Test
    void atomicHandlerCommitsEffectFurtherSendsAndCompletionTogether() throws Exception {
        engine.handle(MAIL, listing());
        List<String> failing = new ArrayList<>(List.of("c"));
        engine.handle(POST, (note, tx) -> {
            effects.apply(tx, note.text());
            tx.send(MAIL, Key.of("mail-" + note.text()), new Note("l", "mail-" + note.text()));
            if (failing.contains(note.text())) {
                throw failing(Failure.Category.UPSTREAM_ERROR);
            }
        });
        for (String key : List.of("a", "b", "c", "d")) {
            send(POST, key);
        }
        work();
        assertThat(effects.count("c")).isZero();
        assertThat(handled).containsExactlyInAnyOrder("mail-a", "mail-b", "mail-d");
        failing.clear();
        time.advance(Duration.ofSeconds(3));
        work();
        for (String key : List.of("a", "b", "c", "d")) {
            assertThat(effects.count(key)).isEqualTo(1);
            assertThat(row(POST, key).state()).isEqualTo(State.COMPLETED);
        }
        assertThat(handled).contains("mail-c").hasSize(4);
    }

    @Test
    void messageIsNeverRunByACallerWhoUsesItsKey() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            throw failing(Failure.Category.NETWORK);
        });
        send(MAIL, "m");
        work();
        time.advance(Duration.ofSeconds(2));
        Call<Note> call = Call.of(ACME, Key.of("m"), new Note("lane", "m"));
        Answer<Void> answer = engine.run(MAIL.operation(), call, (note, run) -> {
            handled.add("by the caller");
            return null;
        });
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(handled).containsExactly("m");
        claim(MAIL);
        time.advance(LEASE.plusSeconds(1));
        assertThat(engine.run(MAIL.operation(), call, (note, run) -> null)).isInstanceOf(Answer.InProgress.class);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void payloadThatTheHandlersTypeCannotReadIsHandedBackAndTheOthersFlow() {
        Channel.Leased<String> writer = Channel.leased("mixed", String.class).withPolicy("steady");
        engine.send(writer, Message.of(ACME, Key.of("bad"), "not a note"));
        Channel.Leased<Note> reader = Channel.leased("mixed", Note.class).withPolicy("steady");
        engine.send(reader, note("good", "l"));
        engine.handle(reader, listing());
        work();
        assertThat(handled).containsExactly("good");
        assertThat(row(reader, "bad").state()).isEqualTo(State.QUEUED);
        assertThat(row(reader, "bad").status().attempt()).isZero();
        assertThat(row(reader, "bad").payload()).isNotNull();
    }
}
