package dev.semel.operator;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.audit.Redactor;
import dev.semel.execution.Failures;
import dev.semel.execution.InterruptedSteps;
import dev.semel.execution.ShadowSends;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.key.ValueCodec;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.FoundRecords;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Replays records that will not be retried automatically. A replay is a conditional write under the record's fence,
 * so a second one at the same time, or one of a record that runs meanwhile, changes nothing.
 *
 * <p>A bulk replay is itself work in the ledger: a message of the channel {@code semel.replays}. Its handler does a
 * part and sends a message for the rest; a node that dies is taken over, and pausing the channel pauses the replay.
 */
public final class Replays {
    private static final Logger LOG = LoggerFactory.getLogger(Replays.class);
    private static final int PAGE = 100;
    private static final int PAGES_A_MESSAGE = 5;
    private static final int PARTS_AT_ONCE = 50;
    private static final int LOOKS_AT_STEPS = 3;
    private static final int PASSES = 3;
    private static final Duration LOCKED = Duration.ofSeconds(2);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Tenant OPERATORS = Tenant.of("semel.operators");

    /** Replays of many. */
    public static final Channel.Leased<Bulk> CHANNEL =
            Channel.leased("semel.replays", Bulk.class).withPolicy("worker.job");

    private final Store store;
    private final Events events;
    private final TimeSource time;
    private final UnresolvedMessages letters;
    private final ShadowMessages shadows;
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
            Predicate<String> handled,
            ShadowMessages shadows) {
        this.store = store;
        this.events = events;
        this.time = time;
        this.letters = new UnresolvedMessages(store.ledger());
        this.shadows = shadows;
        this.policies = policies;
        this.handled = handled;
    }

    /** The outcome of a replay or a discard. */
    public enum ReplayOutcome {
        DONE,
        /** The same was done before. */
        ALREADY,
        /** There is no such record. */
        ABSENT,
        /** Its state does not allow it; see the record. */
        REFUSED
    }

    /** The two ways to close a record. */
    enum Closing {
        /** An operator discards it. */
        DISCARD("Discarded by an operator"),
        /** A caller, or an operator on a caller's behalf, cancels it. */
        CANCEL("Cancelled");

        private final String words;

        Closing(String words) {
            this.words = words;
        }

        private Call.Origin origin(Warrant warrant) {
            return this == DISCARD
                    ? warrant.origin()
                    : Call.Origin.UNSTATED.withActor(warrant.actor(), "caller").withSource("cancel");
        }
    }

    /**
     * Sends a record to its handler again, or, if it came by a direct call and no handler is registered here, lets the next
     * caller run it. A new budget of attempts begins. A message that a run in SHADOW would have sent is sent under its own record.
     *
     * @param row as it was just seen; none if there is none, or it is expired
     */
    ReplayOutcome replay(@Nullable Row row, Warrant warrant) {
        if (row == null) {
            return ReplayOutcome.ABSENT;
        }
        return ShadowSends.isOne(row) ? shadows.send(row, warrant) : outcome(row, moved(row, warrant));
    }

    private Moved moved(Row row, Warrant warrant) {
        Move move = replaying(row, warrant);
        return row.state() == State.UNKNOWN
                ? withSteps(row, move)
                : store.ledger().move(List.of(move)).get(0);
    }

    /**
     * Replaying a record that may have taken effect means to run it again, with its interrupted steps. A step that
     * its late owner ends meanwhile is no longer interrupted: then the steps are read again.
     */
    private Moved withSteps(Row row, Move move) {
        Moved moved = new Moved.Refused(row.status());
        for (int looks = 0; looks < LOOKS_AT_STEPS && moved instanceof Moved.Refused; looks++) {
            moved = InterruptedSteps.of(store.ledger(), row.id()).releaseAll().writeWith(move);
        }
        return moved;
    }

    /**
     * Closes a record: it will not be retried, and its lane continues.
     *
     * @param how by whom, for the audit and for those who ask for it later
     */
    ReplayOutcome discard(@Nullable Row row, Warrant warrant, Duration keep, Closing how) {
        if (row == null) {
            return ReplayOutcome.ABSENT;
        }
        Failure failure = Failure.of(Failure.Category.DISABLED, how.words + ": " + Redactor.text(warrant.reason()));
        Move.Change change = Transition.failure(keep, Failures.encode(failure))
                .at(Transition.DISCARD.place(row.line(), Policy.DeadHead.CONTINUE));
        Events.About about = Events.About.record(row.id(), row.header(), how.origin(warrant), "OPERATOR");
        Move move = Transition.DISCARD.of(
                row,
                change,
                events.event(
                        EventType.OPERATOR_DISCARDED,
                        about,
                        warrant.details("was", row.state().name())));
        return outcome(row, store.ledger().move(List.of(move)).get(0));
    }

    private static ReplayOutcome outcome(Row row, Moved answer) {
        Moved moved = answer.unlocked(row.id());
        if (moved instanceof Moved.Refused) {
            return ReplayOutcome.REFUSED;
        }
        return moved instanceof Moved.Same ? ReplayOutcome.ALREADY : ReplayOutcome.DONE;
    }

    private Move replaying(Row row, Warrant warrant) {
        boolean byHandler = row.line() != null
                || row.payload() != null && handled.test(row.header().operation());
        Transition transition = byHandler ? Transition.REPLAY_BY_HANDLER : Transition.REPLAY_BY_CALLER;
        Duration keep = byHandler ? Duration.ZERO : kept(row);
        Move.Change due = Transition.due(
                        Duration.ZERO, keep, 0, byHandler ? Failures.replayed(row.failure()) : row.failure())
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
     */
    public record Bulk(String job, int part, Filter filter, int perSecond, ReplayPosition at, Counts counts)
            implements ValueCodec.Own {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static Bulk stored(ObjectNode part) {
            return StoredBulk.read(part);
        }
    }

    /** As {@link UnresolvedMessages.MessageFilter}, in plain values. */
    public record Filter(
            @Nullable String tenant,
            @Nullable String operation,
            @Nullable String category,
            @Nullable String exception,
            Cut cut) {
        static Filter of(UnresolvedMessages.Preview preview) {
            UnresolvedMessages.MessageFilter which = preview.which();
            return new Filter(
                    which.records().tenant(),
                    which.records().operation(),
                    which.category() == null ? null : which.category().code(),
                    which.exception(),
                    new Cut(which.records().fence(), preview.count(), which.scope()));
        }

        UnresolvedMessages.Preview preview() {
            UnresolvedMessages.MessageFilter which = new UnresolvedMessages.MessageFilter(
                    new RecordFilter(tenant, operation, true, cut.fence),
                    category == null ? null : Failure.Category.ofCode(category).orElse(null),
                    exception,
                    cut.scope);
            return new UnresolvedMessages.Preview(which, cut.matched);
        }
    }

    /**
     * What was there when it began.
     *
     * @param fence of the newest grant; what was granted later is not meant
     * @param matched how many there were
     */
    public record Cut(long fence, long matched, UnresolvedMessages.Scope scope) {}

    /**
     * How far a walk is, and for whom it is made.
     *
     * @param at and id of the last record of the page before
     * @param state of the records it is at
     * @param pass counts from 1; a further one is for those that were locked
     */
    public record ReplayPosition(long at, String id, State state, int pass, String actor, String reason) {
        static ReplayPosition start(UnresolvedMessages.Scope scope, int pass, Warrant warrant) {
            State first = scope.states().get(0);
            return new ReplayPosition(
                    Cursor.START.at(), Cursor.START.id().hex(), first, pass, warrant.actor(), warrant.reason());
        }

        Warrant warrant() {
            return new Warrant(actor, reason);
        }

        Cursor cursor() {
            return new Cursor(at, RecordId.ofHex(id));
        }

        /** The position after a page; empty when this pass is over. */
        Optional<ReplayPosition> behind(UnresolvedMessages.MessagePage page, UnresolvedMessages.Scope scope) {
            Cursor end = page.end();
            if (end != null) {
                return Optional.of(new ReplayPosition(end.at(), end.id().hex(), state, pass, actor, reason));
            }
            int next = scope.states().indexOf(state) + 1;
            return next == scope.states().size()
                    ? Optional.empty()
                    : Optional.of(new ReplayPosition(
                            Cursor.START.at(),
                            Cursor.START.id().hex(),
                            scope.states().get(next),
                            pass,
                            actor,
                            reason));
        }
    }

    /**
     * @param done how many were replayed so far
     * @param locked how many another transaction had locked in this pass
     */
    public record Counts(long done, long locked) {
        static final Counts NONE = new Counts(0, 0);

        Counts plus(List<Moved> moved) {
            return new Counts(
                    done
                            + moved.stream()
                                    .filter(Moved.Applied.class::isInstance)
                                    .count(),
                    locked
                            + moved.stream()
                                    .filter(Moved.Locked.class::isInstance)
                                    .count());
        }
    }

    /**
     * The first part of a replay, to be sent to {@link #CHANNEL}. Messages whose outcome is unknown are replayed only if the
     * preview was made of them, too: to run one again may repeat its effect.
     */
    public static Message<Bulk> begin(String job, UnresolvedMessages.Preview preview, int perSecond, Warrant warrant) {
        if (perSecond < 0) {
            throw new SemelException.Invalid(
                    "A replay of " + perSecond + " records a second cannot be: use 0 for no limit, or more.");
        }
        ReplayPosition start = ReplayPosition.start(preview.which().scope(), 1, warrant);
        return message(new Bulk(job, 1, Filter.of(preview), perSecond, start, Counts.NONE));
    }

    private static Message<Bulk> message(Bulk part) {
        return Message.of(OPERATORS, Key.of(part.job + "/" + part.part), part);
    }

    /**
     * The progress of a bulk replay.
     *
     * @param newest the record of its newest part; when that is COMPLETED the replay is over
     * @param part its number
     * @param done how many the parts before replayed, not counting what an interrupted attempt did
     * @param asked the selected messages, and how many they were at the start
     */
    public record Progress(Row newest, int part, long done, UnresolvedMessages.Preview asked) {
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
            FoundRecords found = store.ledger().find(ids);
            for (RecordId id : ids) {
                Row row = found.get(id);
                if (row == null) {
                    return newest;
                }
                Bulk bulk = JSON.readValue(row.payload(), Bulk.class);
                newest = Optional.of(new Progress(row, bulk.part, bulk.counts.done, bulk.filter.preview()));
            }
            part += PARTS_AT_ONCE;
        }
    }

    /**
     * Handles a part: replays some pages and sends a message for the rest. Repeatable: replayed records are not found
     * again. Records that another transaction has locked are retried in a further pass, a few times.
     */
    public void handle(Bulk bulk, LeasedContext run) throws InterruptedException {
        UnresolvedMessages.MessageFilter which = bulk.filter.preview().which();
        int size = bulk.perSecond == 0 ? PAGE : Math.min(PAGE, bulk.perSecond);
        ReplayPosition place = bulk.at;
        Counts counts = bulk.counts;
        for (int pages = 0; pages < PAGES_A_MESSAGE; pages++) {
            UnresolvedMessages.MessagePage page = letters.page(place.state(), which, place.cursor(), size);
            run.ensureHeld();
            counts = counts.plus(replay(page.rows(), place.warrant()));
            Optional<ReplayPosition> next = place.behind(page, which.scope());
            if (next.isEmpty()) {
                passOver(bulk, counts, run);
                return;
            }
            place = next.get();
            if (bulk.perSecond > 0) {
                time.sleep(Duration.ofMillis(1_000L * page.rows().size() / bulk.perSecond));
            }
        }
        sendOn(run, message(new Bulk(bulk.job, bulk.part + 1, bulk.filter, bulk.perSecond, place, counts)));
    }

    /** An interrupted run of this part may have sent the next one, with other counts: then that one continues. */
    private static void sendOn(LeasedContext run, Message<Bulk> next) {
        try {
            run.send(CHANNEL, next);
        } catch (SemelException.NotSent e) {
            if (!(e.sent() instanceof Sent.Conflict)) {
                throw e;
            }
            LOG.info("{}: an earlier run has sent the next part; continuing with that.", next.payload().job);
        }
    }

    private static void passOver(Bulk bulk, Counts counts, LeasedContext run) {
        if (counts.locked == 0) {
            return;
        }
        if (bulk.at.pass == PASSES) {
            LOG.warn(
                    "{}: {} records are locked by other transactions and were not replayed; run the same replay again later.",
                    bulk.job,
                    counts.locked);
            return;
        }
        LOG.info("{}: {} records are locked by other transactions; retrying in {}.", bulk.job, counts.locked, LOCKED);
        UnresolvedMessages.Scope scope = bulk.filter.cut.scope;
        ReplayPosition again = ReplayPosition.start(scope, bulk.at.pass + 1, bulk.at.warrant());
        Counts so = new Counts(counts.done, 0);
        sendOn(
                run,
                message(new Bulk(bulk.job, bulk.part + 1, bulk.filter, bulk.perSecond, again, so))
                        .withDelay(LOCKED));
    }

    /** One that is UNKNOWN is a commit of its own, with its interrupted steps; the others share one. */
    private List<Moved> replay(List<Row> page, Warrant warrant) {
        if (page.isEmpty()) {
            return List.of();
        }
        if (page.get(0).state() == State.UNKNOWN) {
            return page.stream().map(row -> moved(row, warrant)).toList();
        }
        return store.ledger()
                .move(page.stream().map(row -> replaying(row, warrant)).toList());
    }

    /** Whether a record's state allows that it is replayed. */
    public static boolean mayReplay(Row row) {
        if (ShadowSends.isOne(row)) {
            return row.state() == State.SHADOWED;
        }
        return (row.line() == null ? Transition.REPLAY_BY_CALLER : Transition.REPLAY_BY_HANDLER)
                .from()
                .contains(row.state());
    }
}
