package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Channels whose messages die, and a fallback for each death: an effect, and a message to a person. */
abstract class OnDeadFixture extends ChannelFixture {
    static final Channel.Leased<String> REVIEW =
            Channel.leased("review", String.class).withPolicy("steady");
    static final Policy PARKING = Policy.named("parking")
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();
    static final Failure TOO_LONG =
            Failure.of(Failure.Category.RATE_LIMITED, "come back tomorrow").withRetryAfter(Duration.ofHours(5));

    /** The reviews that were handled, and the deaths that handlers were given. */
    final List<String> reviewed = new ArrayList<>();

    final List<Death<Note>> deaths = new ArrayList<>();

    OnDeadFixture(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void needsTransactions() {
        assumeTrue(store.transactions().isPresent(), "the store has no transactions for handlers");
        engine.handle(REVIEW, (text, run) -> reviewed.add(text));
    }

    /** An effect and a message, both named after the key of what died. */
    Death.Handler<Note> fallback() {
        return (death, tx) -> {
            deaths.add(death);
            String key = death.record().key().text();
            effects.apply(tx, "fallback of " + key);
            tx.send(REVIEW, death.key("review"), key);
        };
    }

    /** Fails every message for good. */
    Channel.LeasedDelivery<Note> dying() {
        return (note, run) -> {
            handled.add(note.text());
            throw failing(Failure.Category.VALIDATION);
        };
    }

    Channel.AtomicDelivery<Note> dyingAtomically() {
        return (note, tx) -> {
            handled.add(note.text());
            effects.apply(tx, "effect of " + note.text());
            throw failing(Failure.Category.VALIDATION);
        };
    }

    long fallbacks(String key) throws Exception {
        return effects.count("fallback of " + key);
    }

    /** The record died so many times, and each death has its fallback. */
    void assertDied(Channel<Note> channel, String key, int times) throws Exception {
        work();
        assertThat(row(channel, key).state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(fallbacks(key)).as("effects of the fallback of " + key).isEqualTo(times);
        assertThat(Collections.frequency(reviewed, key)).as("reviews of " + key).isEqualTo(times);
        assertThat(Collections.frequency(story(channel, key), "system.error"))
                .as("dead letters told of " + key)
                .isEqualTo(times);
    }

    /** It did not die, and nothing tells of a death. */
    void assertNotDead(Channel<Note> channel, String key, State state) throws Exception {
        assertThat(row(channel, key).state()).isEqualTo(state);
        assertThat(fallbacks(key)).isZero();
        assertThat(story(channel, key)).doesNotContain("system.error");
    }

    /** Lets time pass, a lease and every pause of a death included, until both records are dead letters. */
    void recover(Channel<Note> channel, String key, String next) {
        for (int round = 0; round < 4 && !(isDead(channel, key) && isDead(channel, next)); round++) {
            time.advance(LEASE.plusSeconds(1));
            engine.duties().sweeper().sweep();
            work();
        }
    }

    private boolean isDead(Channel<Note> channel, String key) {
        return row(channel, key).state() == State.FAILED_TERMINAL;
    }
}
