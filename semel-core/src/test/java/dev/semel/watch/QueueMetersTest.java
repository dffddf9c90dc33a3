package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.engine.Engine;
import dev.semel.store.Claim;
import dev.semel.store.Reservation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The exact meters of messages. */
class QueueMetersTest extends WatchFixture {
    private final Engine engine = start(MicrometerWatch.of(meters));

    /** The state that a node leaves if it dies right after its claim. */
    private void claimedByADeadNode(String channel) {
        store.queue()
                .orElseThrow()
                .claim(new Claim(
                        channel,
                        store.switchboard().modes().version(),
                        new Reservation.Grant(7, LEASE.toMillis(), true, 3),
                        new Claim.Amount(1, 1, Claim.Budget.NONE),
                        Claim.Turns.ALL,
                        row -> null));
        time.advance(LEASE);
    }

    @Test
    void sendsAreCountedByAnswer() {
        engine.send(MAIL, message("a"));
        engine.send(MAIL, message("a"));
        engine.send(MAIL, Message.of(ACME, Key.of("a"), "other payload"));
        engine.send(MAIL, Message.of(ACME, Key.of("huge"), "x".repeat(2 << 20)));
        engine.sendAll(MAIL, List.of(message("b"), message("b"), message("c")));
        engine.run(CHARGE, call("k"), (payload, tx) -> {
            tx.send(MAIL, message("d"));
            return "done";
        });
        assertThat(counts("semel.calls"))
                .isEqualTo(Map.of(
                        "answer=accepted operation=mail", 4L,
                        "answer=duplicate operation=mail", 2L,
                        "answer=conflict operation=mail", 1L,
                        "answer=rejected operation=mail", 1L,
                        "answer=executed operation=charge", 1L));
        assertThat(counts("semel.dedupe.hits")).isEqualTo(Map.of("operation=mail", 2L));
        assertThat(counts("semel.conflicts")).isEqualTo(Map.of("operation=mail", 1L));
        assertThat(counts("semel.ingress.ack")).isEqualTo(Map.of("operation=mail", 5L));
    }

    @Test
    void deliveriesAreCountedByOutcome() {
        engine.handle(MAIL, (payload, run) -> {});
        engine.handle(POST, (payload, tx) -> {});
        engine.sendAll(MAIL, List.of(message("a"), message("b")));
        engine.sendAll(POST, List.of(message("a"), message("b"), message("c")));
        work(engine);
        assertThat(counts("semel.call.duration"))
                .isEqualTo(Map.of(
                        "answer=executed operation=mail", 2L,
                        "answer=executed operation=post", 3L));
    }

    @Test
    void retriesAndDeadLettersOfChannelsAreCounted() {
        engine.handle(MAIL, (payload, run) -> {
            throw failing(Category.NETWORK);
        });
        engine.handle(POST, (payload, tx) -> {
            throw failing(Category.VALIDATION);
        });
        engine.send(MAIL, message("a"));
        engine.sendAll(POST, List.of(message("a"), message("b")));
        for (int round = 0; round < 4; round++) {
            work(engine);
            time.advance(Duration.ofSeconds(10));
        }
        assertThat(counts("semel.retry.attempts"))
                .isEqualTo(Map.of("category=network operation=mail policy=RETRY_STEADY", 2L));
        assertThat(counts("semel.dead_letters"))
                .isEqualTo(Map.of("category=network operation=mail", 1L, "category=validation operation=post", 2L));
        assertThat(counts("semel.call.duration"))
                .isEqualTo(Map.of(
                        "answer=retry_later operation=mail", 2L,
                        "answer=failed operation=mail", 1L,
                        "answer=failed operation=post", 2L));
    }

    @Test
    void messageThatCannotBeReadIsADeadLetter() {
        engine.send(dev.semel.Channel.leased("mail", String.class).withPolicy("steady"), message("a"));
        engine.handle(dev.semel.Channel.leased("mail", Integer.class).withPolicy("steady"), (payload, run) -> {});
        for (int i = 0; i < 12; i++) {
            work(engine);
            time.advance(Duration.ofMinutes(15));
        }
        assertThat(counts("semel.dead_letters")).isEqualTo(Map.of("category=mapping operation=mail", 1L));
    }

    @Test
    void messagesOfADeadNodeAreTakenOver() {
        engine.handle(MAIL, (payload, run) -> {});
        engine.sendAll(MAIL, List.of(message("a"), message("b")));
        claimedByADeadNode("mail");
        work(engine);
        assertThat(counts("semel.takeovers")).isEqualTo(Map.of("operation=mail", 1L));
    }

    @Test
    void messageThatMayNotBeRepeatedIsUnknownWhenItsNodeDies() {
        engine.handle(MAIL.asUnrepeatable(), (payload, run) -> {});
        engine.send(MAIL.asUnrepeatable(), message("a"));
        claimedByADeadNode("mail");
        engine.duties().sweeper().sweep();
        engine.duties().sweeper().sweep();
        assertThat(counts("semel.unknown")).isEqualTo(Map.of("operation=mail", 1L));
    }

    @Test
    void deliveryThatMayNotBeRepeatedAndTimesOutIsUnknown() {
        engine.handle(MAIL.asUnrepeatable(), (payload, run) -> {
            throw failing(Category.TIMEOUT);
        });
        engine.send(MAIL.asUnrepeatable(), message("a"));
        work(engine);
        assertThat(counts("semel.unknown")).isEqualTo(Map.of("operation=mail", 1L));
        assertThat(counts("semel.call.duration")).isEqualTo(Map.of("answer=unknown operation=mail", 1L));
    }

    @Test
    void gaugesShowTheLastReadingAndNothingNewer() {
        engine.handle(MAIL, (payload, run) -> {});
        engine.handle(POST, (payload, tx) -> {});
        engine.sendAll(MAIL, List.of(message("a"), message("b"), message("c")));
        time.advance(Duration.ofSeconds(90));
        assertThat(gauges("semel.queue.depth")).isEmpty();
        engine.duties().backlogs().look();
        Map<String, Long> depth = Map.of("channel=mail", 3L, "channel=post", 0L);
        assertThat(gauges("semel.queue.depth")).isEqualTo(depth);
        assertThat(gauges("semel.queue.oldest.age")).isEqualTo(Map.of("channel=mail", 90L, "channel=post", 0L));
        work(engine);
        assertThat(gauges("semel.queue.depth")).isEqualTo(depth);
        engine.duties().backlogs().look();
        assertThat(gauges("semel.queue.depth")).isEqualTo(Map.of("channel=mail", 0L, "channel=post", 0L));
        assertThat(gauges("semel.queue.oldest.age")).isEqualTo(Map.of("channel=mail", 0L, "channel=post", 0L));
    }
}
