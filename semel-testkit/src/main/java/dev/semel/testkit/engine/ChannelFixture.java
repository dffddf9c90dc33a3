package dev.semel.testkit.engine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.ledger.Transition;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Queue;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;

/** Channels with and without lanes, whose handlers write down what they were given. */
abstract class ChannelFixture extends EngineSuite {
    record Note(String lane, String text) {}

    static final Channel.Leased<Note> MAIL = Channel.leased("mail", Note.class).withPolicy("steady");
    static final Channel.Leased<Note> CHAT =
            Channel.leased("chat", Note.class).withPolicy("steady").withLane(Note::lane);
    static final Channel.Atomic<Note> POST = Channel.atomic("post", Note.class).withPolicy("steady");
    static final Channel.Atomic<Note> BOOK =
            Channel.atomic("book", Note.class).withPolicy("steady").withLane(Note::lane);

    final List<String> handled = new ArrayList<>();

    ChannelFixture(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void needsAQueue() {
        assumeTrue(store.queue().isPresent(), "the store keeps no work for later");
    }

    static Message<Note> note(String key, String lane) {
        return Message.of(ACME, Key.of(key), new Note(lane, key)).withCorrelationId("c-" + key);
    }

    Sent send(Channel<Note> channel, String key) {
        return send(channel, key, "lane");
    }

    Sent send(Channel<Note> channel, String key, String lane) {
        return engine.send(channel, note(key, lane));
    }

    /** Writes down what it is given. */
    Channel.LeasedDelivery<Note> listing() {
        return (note, run) -> handled.add(note.text());
    }

    /** Does rounds until there is nothing more to do. */
    static void work(Engine node) {
        while (node.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    void work() {
        work(engine);
    }

    /** Does rounds, letting the time pass between them, until every retry is over. */
    void workThrough(Duration pace, int rounds) {
        for (int i = 0; i < rounds; i++) {
            work();
            time.advance(pace);
        }
        work();
    }

    Row row(Channel<Note> channel, String key) {
        return Objects.requireNonNull(row(channel.operation(), key), "no record of " + key);
    }

    Line line(Channel<Note> channel, String key) {
        return Objects.requireNonNull(row(channel, key).line());
    }

    List<String> story(Channel<Note> channel, String key) {
        return story(channel.operation(), key);
    }

    static Failure.Thrown failing(Failure.Category category) {
        return Failure.of(category, "simulated " + category.code()).asException();
    }

    /** Another node on a clock of its own, to which something happens between its first grant and its start. */
    Engine pausedAfterItsClaim(TimeSource clock, Runnable meanwhile) {
        return start(pausingAfterItsClaim(meanwhile), settings -> settings.withTime(clock));
    }

    /** The store of such a node. */
    Store pausingAfterItsClaim(Runnable meanwhile) {
        AtomicBoolean paused = new AtomicBoolean();
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Queue> queue() {
                return super.queue().map(each -> new ForwardingQueue(each) {
                    @Override
                    public Claimed claim(Claim claim) {
                        Claimed claimed = super.claim(claim);
                        if (!claimed.rows().isEmpty() && paused.compareAndSet(false, true)) {
                            meanwhile.run();
                        }
                        return claimed;
                    }
                });
            }
        };
    }

    /** The state that a node leaves if it dies right after its claim. */
    Row claim(Channel<Note> channel) {
        return claim(channel, 1).get(0);
    }

    /** A node dies with a message of which so many attempts were counted, and its lease is over. */
    void abandon(Channel<Note> channel, int attempts) {
        Row row = claim(channel);
        Move.Change counted = Transition.due(Duration.ZERO, Duration.ZERO, attempts, null);
        store.ledger()
                .move(List.of(Transition.HAND_BACK.of(row.id(), row.status().fence(), counted, null)));
        claim(channel);
        time.advance(LEASE.plusSeconds(1));
    }

    List<Row> claim(Channel<Note> channel, int records) {
        boolean repeatable = !(channel instanceof Channel.Leased<Note> leased) || leased.repeatable();
        return claim(channel.name(), repeatable, records);
    }

    List<Row> claim(String channel, boolean repeatable, int records) {
        return store.queue()
                .orElseThrow()
                .claim(new Claim(
                        channel,
                        store.switchboard().modes().version(),
                        new Reservation.Grant(
                                7, LEASE.toMillis(), repeatable, STEADY.retry().maxAttempts()),
                        new Claim.Amount(records, records, Claim.Budget.NONE),
                        Claim.Turns.ALL,
                        row -> null))
                .rows();
    }
}
