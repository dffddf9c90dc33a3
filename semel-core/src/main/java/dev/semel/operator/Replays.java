package dev.semel.operator;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.InterruptedSteps;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Found;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Brings records back that will not be tried again by themselves. A replay is a conditional write under the record's fence, so
 * a second one at the same time, or one of a record that runs meanwhile, changes nothing.
 *
 * <p>A replay of many is itself work in the ledger: a message of the channel {@code semel.replays}. Whoever handles it does a
 * part and sends the rest on; a node that dies is taken over, and pausing the channel pauses the replay.
 */
public final class Replays {
    private static final int PAGE = 100;
    private static final int PAGES_A_MESSAGE = 5;
    private static final int PARTS_AT_ONCE = 50;
    private static final int LOOKS_AT_STEPS = 3;
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Tenant OPERATORS = Tenant.of("semel.operators");

    /** Replays of many. */
    public static final Channel.Leased<Bulk> CHANNEL =
            Channel.leased("semel.replays", Bulk.class).withPolicy("worker.job");

    private final Store store;
    private final Events events;
    private final TimeSource time;
    private final Letters letters;
    private final Function<String, @Nullable Policy> policies;
    private final Predicate<String> handled;

    /**
     * @param policies of the operations that are known here
     * @param handled whether a handler of an operation is registered here, so that a direct call can be replayed by a worker
     */
    Replays(
            Store store,
            Events events,
            TimeSource time,
            Function<String, @Nullable Policy> policies,
            Predicate<String> handled) {
        this.store = store;
        this.events = events;
        this.time = time;
        this.letters = new Letters(store.ledger());
        this.policies = policies;
        this.handled = handled;
    }

    /** What came of a replay or a discard. */
    public enum Outcome {
        DONE,
        /** Somebody else did the same before. */
        ALREADY,
        /** There is no such record. */
        ABSENT,
        /** Its state does not allow it; see the record. */
        REFUSED
    }

    /**
     * Sends a record to its handler again, or, if it came by a direct call and no handler is registered here, lets the next
     * caller run it. A new budget of attempts begins.
     *
     * @param row as it was just seen; none if there is none, or it is expired
     */
    Outcome replay(@Nullable Row row, Warrant warrant) {
        if (row == null) {
            return Outcome.ABSENT;
        }
        return outcome(row, moved(row, warrant));
    }

    private Moved moved(Row row, Warrant warrant) {
        Move move = replaying(row, warrant);
        return row.state() == State.UNKNOWN
                ? withSteps(row, move)
                : store.ledger().move(List.of(move)).get(0);
    }

    /**
     * Whoever replays what may have taken effect decides that it is to be run again: its interrupted steps, too. A step that its
     * late owner ends meanwhile is not interrupted any more: then the steps are looked at again.
     */
    private Moved withSteps(Row row, Move move) {
        Moved moved = new Moved.Refused(row.status());
        for (int looks = 0; looks < LOOKS_AT_STEPS && moved instanceof Moved.Refused; looks++) {
            moved = InterruptedSteps.of(store.ledger(), row.id()).releaseAll().writeWith(move);
        }
        return moved;
    }

    /** Closes a record: it will not be tried again, and its lane goes on. */
    Outcome discard(@Nullable Row row, Warrant warrant, Duration keep) {
        if (row == null) {
            return Outcome.ABSENT;
        }
        Failure failure = Failure.of(Failure.Category.DISABLED, "Discarded by an operator: " + warrant.reason());
        Move.Change change = Transition.failure(keep, dev.semel.execution.Failures.encode(failure))
                .at(Transition.DISCARD.place(row.line(), Policy.DeadHead.CONTINUE));
        Move move = Transition.DISCARD.of(row, change, event(EventType.OPERATOR_DISCARDED, row, warrant));
        return outcome(row, store.ledger().move(List.of(move)).get(0));
    }

    private static Outcome outcome(Row row, Moved answer) {
        Moved moved = answer.unlocked(row.id());
        if (moved instanceof Moved.Refused) {
            return Outcome.REFUSED;
        }
        return moved instanceof Moved.Same ? Outcome.ALREADY : Outcome.DONE;
    }

    private Move replaying(Row row, Warrant warrant) {
        boolean byHandler = row.line() != null
                || row.payload() != null && handled.test(row.header().operation());
        Transition transition = byHandler ? Transition.REPLAY_BY_HANDLER : Transition.REPLAY_BY_CALLER;
        Duration keep = byHandler ? Duration.ZERO : kept(row);
        Move.Change due = Transition.due(Duration.ZERO, keep, 0, row.failure())
                .at(transition.place(row.line(), Policy.DeadHead.CONTINUE));
        return transition.of(row, due, event(EventType.OPERATOR_REPLAYED, row, warrant));
    }

    private Duration kept(Row row) {
        Policy policy = policies.apply(row.header().operation());
        return (policy == null ? Policy.Retention.API : policy.retention()).failure();
    }

    private dev.semel.store.AuditEntry event(EventType type, Row row, Warrant warrant) {
        Events.About about = Events.About.record(row.id(), row.header(), warrant.origin(), "OPERATOR");
        return events.event(type, about, warrant.details("was", row.state().name()));
    }

    /**
     * A replay of many, as it stands in the ledger.
     *
     * @param job names it through all its parts
     * @param part counts from 1
     * @param perSecond at most so many a second; 0 for no limit
     * @param at where the part before ended
     * @param done how many the parts before replayed
     */
    public record Bulk(String job, int part, Filter filter, int perSecond, Place at, long done) {}

    /**
     * As {@link Letters.Preview}, in plain values.
     *
     * @param matched how many there were when it began
     */
    public record Filter(
            @Nullable String tenant,
            @Nullable String operation,
            @Nullable String category,
            @Nullable String exception,
            long fence,
            long matched) {
        static Filter of(Letters.Preview preview) {
            Letters.Which which = preview.which();
            return new Filter(
                    which.records().tenant(),
                    which.records().operation(),
                    which.category() == null ? null : which.category().code(),
                    which.exception(),
                    which.records().fence(),
                    preview.count());
        }

        Letters.Which which() {
            return new Letters.Which(
                    new RecordFilter(tenant, operation, true, fence),
                    category == null ? null : Failure.Category.ofCode(category).orElse(null),
                    exception);
        }
    }

    /** @param actor and reason of who began it */
    public record Place(long at, String id, String actor, String reason) {}

    /** The first part of a replay, to be sent to {@link #CHANNEL}. */
    public static Message<Bulk> begin(String job, Letters.Preview preview, int perSecond, Warrant warrant) {
        if (perSecond < 0) {
            throw new SemelException.Invalid(
                    "A replay of " + perSecond + " records a second cannot be: use 0 for no limit, or more.");
        }
        Place start = new Place(Status.NEVER, Cursor.START.id().hex(), warrant.actor(), warrant.reason());
        Bulk first = new Bulk(job, 1, Filter.of(preview), perSecond, start, 0);
        return message(first);
    }

    private static Message<Bulk> message(Bulk part) {
        return Message.of(OPERATORS, Key.of(part.job + "/" + part.part), part);
    }

    /**
     * How far a replay of many has come.
     *
     * @param newest the record of its newest part; when that is COMPLETED the replay is over
     * @param part its number
     * @param done how many the parts before replayed, not counting what an interrupted attempt did
     * @param asked the dead letters that are meant, and how many they were when it began
     */
    public record Progress(Row newest, int part, long done, Letters.Preview asked) {
        public boolean over() {
            return newest.state() == State.COMPLETED;
        }
    }

    /**
     * Where a replay stands, as the ledger tells it; nothing when there is no such job, or no more.
     *
     * @param from the number of a part that is known to be there; 1 if none is
     */
    public Optional<Progress> progress(String job, int from) {
        Optional<Progress> newest = Optional.empty();
        int part = from;
        while (true) {
            List<RecordId> ids = new ArrayList<>();
            for (int i = 0; i < PARTS_AT_ONCE; i++) {
                ids.add(Identity.of(OPERATORS, CHANNEL.name(), Key.of(job + "/" + (part + i)))
                        .id());
            }
            Found found = store.ledger().find(ids);
            for (RecordId id : ids) {
                Row row = found.get(id);
                if (row == null) {
                    return newest;
                }
                Bulk bulk = JSON.readValue(row.payload(), Bulk.class);
                newest = Optional.of(new Progress(
                        row, bulk.part, bulk.done, new Letters.Preview(bulk.filter.which(), bulk.filter.matched)));
            }
            part += PARTS_AT_ONCE;
        }
    }

    /** Handles a part: replays some pages and sends the rest on. Repeatable: what is replayed is not found again. */
    public void handle(Bulk bulk, LeasedContext run) throws InterruptedException {
        work(bulk, run::ensureHeld, rest -> run.send(CHANNEL, message(rest)));
    }

    private void work(Bulk bulk, Runnable ensureHeld, Consumer<Bulk> send) throws InterruptedException {
        Letters.Which which = bulk.filter.which();
        Warrant warrant = new Warrant(bulk.at.actor, bulk.at.reason);
        Cursor[] behind = {new Cursor(bulk.at.at, RecordId.ofHex(bulk.at.id))};
        long done = bulk.done;
        int size = bulk.perSecond == 0 ? PAGE : Math.min(PAGE, bulk.perSecond);
        for (int pages = 0; pages < PAGES_A_MESSAGE; pages++) {
            boolean[] more = {false};
            List<Row> page = letters.page(which, behind[0], size, next -> {
                behind[0] = next;
                more[0] = true;
            });
            ensureHeld.run();
            done += replay(page, warrant);
            if (!more[0]) {
                return;
            }
            if (bulk.perSecond > 0) {
                time.sleep(Duration.ofMillis(1_000L * page.size() / bulk.perSecond));
            }
        }
        Place place = new Place(behind[0].at(), behind[0].id().hex(), warrant.actor(), warrant.reason());
        send.accept(new Bulk(bulk.job, bulk.part + 1, bulk.filter, bulk.perSecond, place, done));
    }

    private long replay(List<Row> page, Warrant warrant) {
        List<Move> moves = page.stream().map(row -> replaying(row, warrant)).toList();
        return moves.isEmpty()
                ? 0
                : store.ledger().move(moves).stream()
                        .filter(moved -> moved instanceof Moved.Applied)
                        .count();
    }

    /** Whether a record's state allows that it is replayed. */
    public static boolean mayReplay(Row row) {
        return (row.line() == null ? Transition.REPLAY_BY_CALLER : Transition.REPLAY_BY_HANDLER)
                .from()
                .contains(row.state());
    }
}
