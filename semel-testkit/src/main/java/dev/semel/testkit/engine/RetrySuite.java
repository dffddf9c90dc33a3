package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.policy.Classifier;
import dev.semel.store.AuditFilter;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Receivers that are slow, busy, broken or refuse: each is tried again as its policy says, and the audit tells. */
abstract class RetrySuite extends ChannelFixture {
    RetrySuite(EngineContract contract) {
        super(contract);
    }

    /** Answers each attempt of a message with the next of these statuses, and with 200 afterwards. */
    private void answer(Channel.Leased<Note> channel, Integer... statuses) {
        List<Integer> left = new ArrayList<>(List.of(statuses));
        engine.handle(channel, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (!left.isEmpty()) {
                throw Classifier.ofHttpStatus(left.remove(0), null, Instant.ofEpochMilli(time.millis()))
                        .asException();
            }
        });
    }

    private List<Map<String, Object>> events(Channel<Note> channel, String key) {
        List<Map<String, Object>> events = new ArrayList<>(
                store.audit().newest(AuditFilter.of(row(channel, key).id()), 100).stream()
                        .map(row -> new AuditEvent(row).fields())
                        .toList());
        Collections.reverse(events);
        return events;
    }

    private static Map<String, Object> retry(long attempt, String category, long delayMillis) {
        return Map.of(
                "type",
                "retry.attempt",
                "policy",
                "RETRY_STEADY",
                "category",
                category,
                "attempt",
                attempt,
                "of",
                3L,
                "delay_ms",
                delayMillis);
    }

    @Test
    void d10_transientServerErrorsAreTriedAgainWhenThePolicySaysAndAudited() {
        answer(MAIL, 503, 500);
        send(MAIL, "m");
        Stream.of(0, 999, 1, 1_999, 1).map(Duration::ofMillis).forEach(pause -> {
            time.advance(pause);
            work();
            handled.add("-");
        });
        assertThat(handled).containsExactly("m1", "-", "-", "m2", "-", "-", "m3", "-");
        assertThat(story(MAIL, "m"))
                .containsExactly("operation.queued", "retry.attempt", "retry.attempt", "operation.executed");
        assertThat(events(MAIL, "m").get(1)).containsAllEntriesOf(retry(1, "upstream_error", 1_000));
        assertThat(events(MAIL, "m").get(2)).containsAllEntriesOf(retry(2, "upstream_error", 2_000));
    }

    @Test
    void d10_receiverThatTakesTooLongIsInterruptedAndTriedAgainAndAudited() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (run.attempt() == 1) {
                time.advance(STEADY.limits().attemptTimeout());
                engine.duties().keeper().tick();
                time.sleep(Duration.ofMillis(1));
            }
        });
        send(MAIL, "m");
        work();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_RETRYABLE);
        time.advance(Duration.ofSeconds(1));
        work();
        assertThat(handled).containsExactly("m1", "m2");
        assertThat(events(MAIL, "m").get(1)).containsAllEntriesOf(retry(1, "timeout", 1_000));
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "retry.attempt", "operation.executed");
    }

    @Test
    void d10_receiverThatIsBusyAndSaysNoTimeIsTriedAgainByPolicy() {
        answer(MAIL, 429);
        send(MAIL, "m");
        workThrough(Duration.ofSeconds(1), 1);
        assertThat(handled).containsExactly("m1", "m2");
        assertThat(events(MAIL, "m").get(1)).containsAllEntriesOf(retry(1, "rate_limited", 1_000));
    }

    @Test
    void d10_retryAfterIsAFloorAndTooLongAOneIsADeadLetter() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            String seconds = note.text().equals("long") ? "7200" : "600";
            throw Classifier.ofHttpStatus(429, seconds, Instant.ofEpochMilli(time.millis()))
                    .asException();
        });
        send(MAIL, "short");
        send(MAIL, "long");
        work();
        time.advance(Duration.ofMinutes(9));
        work();
        assertThat(handled).containsExactlyInAnyOrder("short", "long");
        assertThat(row(MAIL, "long").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(events(MAIL, "short").get(1)).containsAllEntriesOf(retry(1, "rate_limited", 600_000));
        assertThat(events(MAIL, "long").get(1))
                .containsEntry("type", "system.error")
                .containsEntry("category", "rate_limited");
        time.advance(Duration.ofMinutes(2));
        work();
        assertThat(handled).hasSize(3);
    }

    @Test
    void d10_refusedCredentialsPauseTheChannelAndSpendNoAttempt() {
        List<String> refused = new ArrayList<>(List.of("once"));
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (!refused.isEmpty()) {
                throw failing(Failure.Category.AUTH);
            }
        });
        send(MAIL, "a");
        work();
        send(MAIL, "b");
        work();
        assertThat(handled).containsExactly("a1");
        assertThat(row(MAIL, "a").state()).isEqualTo(State.QUEUED);
        assertThat(row(MAIL, "a").status().attempt()).isZero();
        assertThat(store.switchboard().modes().pauses()).hasSize(1);
        refused.clear();
        time.advance(Duration.ofMinutes(4));
        work();
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).containsExactlyInAnyOrder("a1", "a1", "b1");
        assertThat(store.switchboard().modes().pauses()).isEmpty();
        assertThat(store.audit().newest(AuditFilter.ALL, 100))
                .extracting(row -> new AuditEvent(row).type())
                .asInstanceOf(InstanceOfAssertFactories.list(String.class))
                .contains("channel.paused", "channel.resumed");
    }

    @Test
    void d10_probeThatWasHandledIsDoneAlthoughItsChannelCouldNotBeResumed() {
        AtomicBoolean away = new AtomicBoolean(true);
        Engine node = start(
                new FaultyStore(
                        reopened(),
                        call -> call == StoreCall.RESUME && away.get() ? Faults.Fault.FAIL_BEFORE : Faults.Fault.NONE),
                settings -> settings);
        List<String> refused = new ArrayList<>(List.of("once"));
        node.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (!refused.isEmpty()) {
                throw failing(Failure.Category.AUTH);
            }
        });
        send(MAIL, "a");
        work(node);
        refused.clear();
        time.advance(Duration.ofMinutes(4));
        work(node);
        assertThat(handled).containsExactly("a1", "a1");
        assertThat(row(MAIL, "a").state()).isEqualTo(State.COMPLETED);
        assertThat(store.switchboard().modes().pauses()).hasSize(1);
        away.set(false);
        send(MAIL, "b");
        time.advance(Duration.ofMinutes(4));
        work(node);
        assertThat(row(MAIL, "b").state()).isEqualTo(State.COMPLETED);
        assertThat(store.switchboard().modes().pauses()).isEmpty();
    }
}
