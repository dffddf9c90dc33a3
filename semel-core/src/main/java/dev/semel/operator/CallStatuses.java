package dev.semel.operator;

import dev.semel.Answer.Next;
import dev.semel.Answer.Notice;
import dev.semel.CallStatus;
import dev.semel.CallStatus.CallState;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.Redactor;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.FoundRecords;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where calls and messages stand, and their cancellation: for the front door, HTTP, the Actuator and the command line alike. A
 * record of another tenant, a step and an expired record count as absent.
 */
public final class CallStatuses {
    /** The longest story, in calls and messages. */
    static final int LONGEST_STORY = 200;

    private static final String ABSENT = "There is no such record, or no more.";

    private final Store store;
    private final Replays replays;
    private final Explanation.Disclosure disclosure;
    private final BiPredicate<String, String> visible;

    CallStatuses(Store store, Replays replays) {
        this(store, replays, Explanation.Disclosure.OWN, (operation, key) -> true);
    }

    private CallStatuses(
            Store store, Replays replays, Explanation.Disclosure disclosure, BiPredicate<String, String> visible) {
        this.store = store;
        this.replays = replays;
        this.disclosure = disclosure;
        this.visible = visible;
    }

    /**
     * For a client: of a failure its category only, because its reason may be the message of any exception.
     *
     * @param own whether a record of this operation and key is the client's; others count as absent
     */
    public CallStatuses forClient(BiPredicate<String, String> own) {
        return new CallStatuses(store, replays, Explanation.Disclosure.CATEGORY, own);
    }

    /** Which record is meant, and whose it must be. */
    private record Selection(List<RecordId> ids, @Nullable String tenant) {
        /** By key: of one with a time bucket, the neighbours count too. */
        static Selection of(Tenant tenant, String operation, Key key) {
            Identity identity = Identity.of(tenant, operation, key);
            List<RecordId> ids = new ArrayList<>(List.of(identity.id()));
            ids.addAll(identity.neighbours());
            return new Selection(ids, tenant.name());
        }

        /** What is no record id selects nothing. */
        static Selection of(@Nullable Tenant tenant, String recordId) {
            try {
                return new Selection(List.of(RecordId.ofHex(recordId)), tenant == null ? null : tenant.name());
            } catch (SemelException.Invalid e) {
                return new Selection(List.of(), null);
            }
        }
    }

    private @Nullable Row selected(Selection which, FoundRecords found) {
        for (RecordId id : which.ids) {
            Row row = found.live(id);
            if (row != null
                    && !row.isStep()
                    && (which.tenant == null || which.tenant.equals(row.header().tenant()))
                    && visible.test(row.header().operation(), row.header().key())) {
                return row;
            }
        }
        return null;
    }

    /** The record of a key. */
    public Optional<CallStatus> find(Tenant tenant, String operation, Key key) {
        return find(Selection.of(tenant, operation, key));
    }

    /**
     * The record of an id.
     *
     * @param tenant null for an operator, who may see every tenant
     * @param recordId 64 hexadecimal digits; anything else is not found
     */
    public Optional<CallStatus> find(@Nullable Tenant tenant, String recordId) {
        return find(Selection.of(tenant, recordId));
    }

    private Optional<CallStatus> find(Selection which) {
        if (which.ids.isEmpty()) {
            return Optional.empty();
        }
        FoundRecords found = store.ledger().find(which.ids);
        return Optional.ofNullable(selected(which, found)).map(row -> shown(sight(found.now()), row));
    }

    private Explanation.Sight sight(long now) {
        Supplier<Switchboard.Modes> modes = new Supplier<>() {
            private Switchboard.@Nullable Modes read;

            @Override
            public Switchboard.Modes get() {
                Switchboard.Modes known = read == null ? store.switchboard().modes() : read;
                read = known;
                return known;
            }
        };
        return new Explanation.Sight(store, modes, now, disclosure);
    }

    /** The calls and messages of a correlation id, and what their handlers sent, whatever correlation id that has. */
    public CallStory story(Tenant tenant, String correlationId) {
        List<Row> made = store.ledger().findByCorrelation(tenant.name(), correlationId, LONGEST_STORY + 1);
        Explanation.Sight sight = sight(store.ledger().find(List.of()).now());
        Walk walk = new Walk(tenant.name(), sight.now());
        Map<RecordId, Row> known = new LinkedHashMap<>();
        made.forEach(row -> known.put(row.id(), row));
        for (Row row : made) {
            RecordId sender = row.header().parent();
            if (sender == null || !known.containsKey(sender)) {
                walk.add(row);
            }
        }
        made.forEach(walk::add);
        return new CallStory(
                correlationId,
                walk.rows.values().stream().map(row -> shown(sight, row)).toList(),
                walk.cut);
    }

    /** Collects records, each before those that it sent. Without recursion: a chain of sends may be as long as the story. */
    private final class Walk {
        private final String tenant;
        private final long now;
        private final Map<RecordId, Row> rows = new LinkedHashMap<>();
        private boolean cut;

        Walk(String tenant, long now) {
            this.tenant = tenant;
            this.now = now;
        }

        void add(Row first) {
            Deque<Row> ahead = new ArrayDeque<>(List.of(first));
            while (!ahead.isEmpty() && !cut) {
                Row row = ahead.pop();
                boolean seen = rows.containsKey(row.id())
                        || row.expired(now)
                        || !row.header().tenant().equals(tenant);
                if (!seen && rows.size() == LONGEST_STORY) {
                    cut = true;
                } else if (!seen) {
                    rows.put(row.id(), row);
                    List<Row> sent = store.ledger().sentBy(row.id(), LONGEST_STORY);
                    for (int i = sent.size() - 1; i >= 0; i--) {
                        ahead.push(sent.get(i));
                    }
                }
            }
        }
    }

    /** Closes the record of a key, if it has not started. */
    public Cancelled cancel(Tenant tenant, String operation, Key key, Cancellation by) {
        return cancel(Selection.of(tenant, operation, key), by);
    }

    /**
     * Closes the record of an id, if it has not started.
     *
     * @param tenant null for an operator, who may close records of every tenant
     */
    public Cancelled cancel(@Nullable Tenant tenant, String recordId, Cancellation by) {
        return cancel(Selection.of(tenant, recordId), by);
    }

    private Cancelled cancel(Selection which, Cancellation by) {
        Warrant warrant = new Warrant(by.actor(), by.reason());
        Row row = which.ids.isEmpty() ? null : selected(which, store.ledger().find(which.ids));
        if (row == null) {
            return absent();
        }
        boolean done = mayCancel(row)
                && replays.discard(row, warrant, Policy.Retention.API.deadLetters(), Replays.Closing.CANCEL)
                        == Replays.ReplayOutcome.DONE;
        FoundRecords after = store.ledger().find(List.of(row.id()));
        Row now = after.live(row.id());
        if (now == null) {
            return absent();
        }
        CallStatus status = shown(sight(after.now()), now);
        if (done) {
            return new Cancelled.Closed(status);
        }
        return now.state() == State.DISCARDED
                ? new Cancelled.Already(status)
                : new Cancelled.NotPossible(
                        status,
                        new Notice(status.correlationId(), whyNot(now, after.now()), status.next(), status.recordId()));
    }

    private static Cancelled absent() {
        return new Cancelled.NotFound(new Notice("none", ABSENT, Set.of(Next.CONTACT)));
    }

    /** Whether nothing of it has taken effect, is under way, or is an answer that callers rely on. */
    static boolean mayCancel(Row row) {
        return switch (row.state()) {
            case QUEUED, FAILED_RETRYABLE, SHADOWED -> true;
            case FAILED_TERMINAL -> isDeadLetter(row);
            case IN_PROGRESS, COMPLETED, UNKNOWN, DISCARDED -> false;
        };
    }

    /** It came by a channel, or its attempts ran out: not a rejection that is the answer to every retry. */
    private static boolean isDeadLetter(Row row) {
        Failure failure = UnresolvedMessages.failure(row);
        return row.line() != null || failure == null || !failure.category().stored();
    }

    private static String whyNot(Row row, long now) {
        return switch (row.state()) {
            case IN_PROGRESS ->
                row.status().at() > now
                        ? "It cannot be cancelled: it is running. Ask again when the run has ended."
                        : "It cannot be cancelled: its run was interrupted and may have taken effect. A node takes it over, or"
                                + " makes it UNKNOWN.";
            case COMPLETED -> "It cannot be cancelled: it is completed.";
            case UNKNOWN ->
                "It cannot be cancelled: it may have taken effect. A reconciler or a person must decide; an operator can"
                        + " discard it.";
            case FAILED_TERMINAL ->
                isDeadLetter(row)
                        ? changed(row)
                        : "There is nothing to cancel: it failed permanently and will not be retried.";
            case QUEUED, FAILED_RETRYABLE, SHADOWED, DISCARDED -> changed(row);
        };
    }

    private static String changed(Row row) {
        return "It was not cancelled: it was changed at the same moment and is " + row.state()
                + " now. Ask again to cancel it as it is now.";
    }

    private static CallStatus shown(Explanation.Sight sight, Row row) {
        Failure stored = UnresolvedMessages.failure(row);
        Failure failure = stored == null ? null : disclosed(sight, stored);
        boolean due = (row.state() == State.QUEUED || row.state() == State.FAILED_RETRYABLE)
                && row.status().at() != Status.NEVER;
        RecordId sender = row.header().parent();
        return new CallStatus(
                new CallStatus.CallName(
                        row.id().hex(),
                        row.header().tenant(),
                        row.header().operation(),
                        sender == null ? null : sender.hex()),
                CallState.valueOf(row.state().name()),
                new CallStatus.Attempts(
                        row.status().attempts(),
                        due ? Instant.ofEpochMilli(row.status().at()) : null),
                failure,
                new Notice(
                        row.header().correlationId(),
                        Redactor.text(Explanation.of(sight, row).sentence()),
                        next(row),
                        row.id().hex()));
    }

    private static Failure disclosed(Explanation.Sight sight, Failure stored) {
        return sight.disclosure() == Explanation.Disclosure.CATEGORY
                ? Failure.of(stored.category(), "")
                : new Failure(
                        stored.category(), Redactor.text(stored.reason()), stored.exception(), stored.retryAfter());
    }

    private static Set<Next> next(Row row) {
        Set<Next> next = switch (row.state()) {
            case COMPLETED -> EnumSet.noneOf(Next.class);
            case QUEUED -> EnumSet.of(Next.CHECK_STATUS);
            case IN_PROGRESS -> EnumSet.of(Next.CHECK_STATUS);
            case FAILED_RETRYABLE ->
                row.line() == null ? EnumSet.of(Next.RETRY, Next.CHECK_STATUS) : EnumSet.of(Next.CHECK_STATUS);
            case UNKNOWN -> EnumSet.of(Next.CHECK_STATUS, Next.CONTACT);
            case FAILED_TERMINAL, SHADOWED, DISCARDED -> EnumSet.of(Next.CONTACT);
        };
        if (mayCancel(row)) {
            next.add(Next.CANCEL);
        }
        return next;
    }
}
