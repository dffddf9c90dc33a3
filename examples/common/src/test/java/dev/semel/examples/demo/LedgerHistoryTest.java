package dev.semel.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import dev.semel.testkit.history.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The parts on a ledger of their own, with one channel. */
class LedgerHistoryTest {
    private static final Channel.Leased<String> CALLS = Channel.leased("calls", String.class);

    private final String url = "sqlite:" + Scratch.directory("examples-common").resolve("ledger.db");
    private final LedgerHistory history = new LedgerHistory();

    private void send(Semel semel, String key) throws Exception {
        history.name(Identity.of(Tenant.SINGLE, "calls", Key.of(key)).id(), key);
        history.delivered(key, () -> semel.send(CALLS, Message.of(Tenant.SINGLE, Key.of(key), key)));
    }

    @Test
    void historyWithOneEffectForEachMessageHolds() throws Exception {
        try (Semel semel = Semel.open(url);
                LedgerView ledger = new LedgerView(url)) {
            semel.handle(CALLS, (name, run) -> history.applied(name, null));
            send(semel, "a");
            send(semel, "a");
            send(semel, "b");
            Await.until("both are done", ledger::isQuiet);
            history.judge(ledger.store(), record -> false).assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8);
        }
    }

    @Test
    void secondEffectOfAMessageIsFound() throws Exception {
        try (Semel semel = Semel.open(url);
                LedgerView ledger = new LedgerView(url)) {
            semel.handle(CALLS, (name, run) -> {
                history.applied(name, null);
                history.applied(name, null);
            });
            send(semel, "a");
            Await.until("it is done", ledger::isQuiet);
            assertThat(history.judge(ledger.store(), record -> false).violations())
                    .extracting(violation -> violation.rule())
                    .containsExactly(Rule.R2);
        }
    }

    @Test
    void retriesAreReachedByMovingTheClock() throws Exception {
        try (TickingClock clock = new TickingClock();
                Semel semel = Semel.settings(url).withClock(clock).open();
                LedgerView ledger = new LedgerView(url)) {
            semel.handle(CALLS, (name, run) -> {
                throw Failure.of(Failure.Category.RATE_LIMITED, "later")
                        .withRetryAfter(Duration.ofMinutes(10))
                        .asException();
            });
            send(semel, "a");
            clock.retryUntil(
                    ledger,
                    "calls",
                    () -> !ledger.rows(State.FAILED_TERMINAL, "calls").isEmpty());
            assertThat(ledger.delays("calls")).isEqualTo(List.of(600_000L, 600_000L));
        }
    }
}
