package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** All settings of an application use types of the root package only. */
class FrontDoorSettingsTest {
    private static final Operation.Atomic<String, String> GREET = Operation.atomic("greet", String.class, String.class);
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private static Answer<String> greet(Semel semel, String answer) {
        return semel.run(GREET, Call.of(Tenant.SINGLE, Key.of("k"), "payload"), (payload, tx) -> answer);
    }

    @Test
    void nodeThatIsHaltedRunsNothing() {
        try (Semel semel = Semel.settings("memory:").withMode(Mode.HALTED).open()) {
            assertThat(greet(semel, "hello")).isInstanceOf(Answer.Halted.class);
        }
    }

    @Test
    void watchReceivesCalls() {
        var ended = new LinkedBlockingQueue<String>();
        Watch watch = new Watch() {
            @Override
            public void ended(Span span) {
                ended.add(span.operation());
            }
        };
        try (Semel semel = Semel.settings("memory:").withWatch(watch).open()) {
            greet(semel, "hello");
        }
        assertThat(ended).containsExactly("greet");
    }

    @Test
    void observerThatIsNoWatchIsRejected() {
        Semel.Settings settings = Semel.settings("memory:").withWatch(new Semel.Observer() {});
        assertThatThrownBy(settings::open)
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("let it implement dev.semel.watch.Watch");
    }

    @Test
    void handlersRunOnPlatformThreadsIfSet() throws Exception {
        var kinds = new LinkedBlockingQueue<String>();
        try (Semel semel = Semel.settings("memory:").withPlatformThreads().open()) {
            semel.handle(
                    MAIL,
                    (mail, run) -> kinds.add(Thread.currentThread().getClass().getSimpleName()));
            semel.send(MAIL, Message.of(Tenant.SINGLE, Key.of("k"), "hello"));
            assertThat(kinds.poll(1, TimeUnit.MINUTES)).isNotNull().isNotEqualTo("VirtualThread");
        }
    }

    @Test
    void timePassesAsTheGivenClockSays() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
        var handled = new LinkedBlockingQueue<String>();
        try (Semel semel = Semel.settings("memory:").withClock(now::get).open()) {
            semel.handle(MAIL, (mail, run) -> handled.add(mail));
            semel.send(MAIL, Message.of(Tenant.SINGLE, Key.of("k"), "reminder").withDelay(Duration.ofDays(1)));
            assertThat(greet(semel, "first")).isInstanceOf(Answer.Executed.class);
            assertThat(greet(semel, "second")).isInstanceOf(Answer.Replayed.class);
            assertThat(handled).isEmpty();
            now.set(now.get().plus(Duration.ofDays(2)));
            assertThat(greet(semel, "third").orThrow())
                    .as("a result is kept for a day")
                    .isEqualTo("third");
            assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo("reminder");
        }
    }

    @Test
    void settingMadeTwiceIsNamed() {
        Semel.Settings settings = Semel.settings("memory:")
                .withMode(Mode.LIVE)
                .withMode(Mode.HALTED)
                .withLargestValue(10)
                .withLargestValue(20)
                .withLocalCache(1)
                .withLocalCache(1)
                .withClock(Instant::now)
                .withClock(Instant::now)
                .withAuditRetention(Duration.ofDays(2))
                .withAuditRetention(Duration.ofDays(3))
                .withReconcilerTimeout(Duration.ofSeconds(1))
                .withReconcilerTimeout(Duration.ofSeconds(2));
        assertThatThrownBy(settings::open)
                .isInstanceOfSatisfying(
                        SemelException.Misconfigured.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        "the mode is set twice: keep one of the two",
                                        "the largest value is set twice: keep one of the two",
                                        "the local cache is set twice: keep one of the two",
                                        "the clock is set twice: keep one of the two",
                                        "the audit retention is set twice: keep one of the two",
                                        "the reconciler time-out is set twice: keep one of the two"));
    }

    @Test
    void operationThatCarriesItsPolicyNeedsNoRegistration() {
        Policy once = Policy.named("once").withMaxAttempts(1).build();
        AtomicInteger runs = new AtomicInteger();
        try (Semel semel = Semel.open("memory:")) {
            Answer<String> answer =
                    semel.run(GREET.withPolicy(once), Call.of(Tenant.SINGLE, Key.of("k"), "payload"), (payload, tx) -> {
                        runs.incrementAndGet();
                        throw new IOException("busy");
                    });
            assertThat(answer).isNotInstanceOf(Answer.Executed.class);
        }
        assertThat(runs).hasValue(1);
    }
}
