package dev.semel.operator;

import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.ShadowSends;
import dev.semel.execution.StoreExceptions;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays.ReplayOutcome;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Enqueued;
import dev.semel.store.FoundRecords;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages that runs in SHADOW would have sent: compared with what was really sent under the same keys, and sent for real. See
 * {@link ShadowSends}.
 */
public final class ShadowMessages {
    private static final int PAGE = 500;

    /** So many are looked at in one query. */
    private static final int LOOKED = 5_000;

    /** Payloads are read where fingerprints differ, two at a time. */
    private static final int WITHOUT_PAYLOAD = 0;

    /** More than that of one state are not looked at for one comparison. */
    public static final int MOST = 100_000;

    private final Store store;
    private final Events events;
    private final Function<String, Operation.@Nullable Definition<?, ?>> definitions;

    /** @param definitions of the operations that are known here */
    ShadowMessages(Store store, Events events, Function<String, Operation.@Nullable Definition<?, ?>> definitions) {
        this.store = store;
        this.events = events;
        this.definitions = definitions;
    }

    /** What there is under the key of a message that would have been sent. */
    public enum ShadowDifference {
        /** Nothing was sent under its key, or what was is no longer remembered. */
        NOT_SENT,
        /** The same payload was sent. */
        SAME,
        /** Another payload was sent. */
        OTHER_PAYLOAD,
        /** It was sent, and no run in SHADOW would have sent it, or what one would have sent is no longer remembered. */
        ONLY_SENT
    }

    /**
     * A message that would have been sent, beside the one that was; both without their payloads.
     *
     * @param shadow absent if none would have been
     * @param real absent if none was
     */
    public record ComparedMessage(
            @Nullable Row shadow, @Nullable Row real, ShadowDifference difference) {
        /** The one that is there: of what would have been sent, if both are. */
        public Row any() {
            return Objects.requireNonNull(shadow != null ? shadow : real);
        }
    }

    /**
     * @param shown the first ones
     * @param counts of all that were compared
     * @param complete whether that were all there are
     */
    public record Comparison(List<ComparedMessage> shown, Map<ShadowDifference, Long> counts, boolean complete) {
        /** How many that would have been sent were compared. */
        public long total() {
            return counts.values().stream().mapToLong(Long::longValue).sum()
                    - counts.getOrDefault(ShadowDifference.ONLY_SENT, 0L);
        }
    }

    /**
     * Compares all that match and are not yet closed. Of a channel and tenant for which something is recorded in SHADOW, those messages
     * are compared too that were really sent after the first that is recorded.
     *
     * @param only shows these; all are counted
     * @param limit shows so many
     */
    public Comparison compare(RecordFilter filter, Set<ShadowDifference> only, int limit) {
        ComparedMessages result = new ComparedMessages(only, limit);
        Map<TenantChannel, RecordedSends> recorded = new LinkedHashMap<>();
        boolean complete = forEachPage(State.SHADOWED, filter, MOST, page -> {
            List<Row> shadows = page.stream().filter(ShadowSends::isOne).toList();
            shadows.forEach(shadow -> recorded.computeIfAbsent(TenantChannel.of(shadow), any -> new RecordedSends())
                    .add(shadow));
            compared(shadows).forEach(result::add);
        });
        for (Map.Entry<TenantChannel, RecordedSends> each : recorded.entrySet()) {
            RecordFilter ofChannel =
                    new RecordFilter(each.getKey().tenant, each.getKey().channel, true, filter.fence());
            for (State state : State.values()) {
                complete &= forEachPage(
                        state,
                        ofChannel,
                        MOST,
                        page -> onlySent(page, each.getValue()).forEach(result::add));
            }
        }
        return new Comparison(result.shown, result.counts, complete);
    }

    private static final class ComparedMessages {
        private final List<ComparedMessage> shown = new ArrayList<>();
        private final Map<ShadowDifference, Long> counts = new EnumMap<>(ShadowDifference.class);
        private final Set<ShadowDifference> only;
        private final int limit;

        ComparedMessages(Set<ShadowDifference> only, int limit) {
            this.only = only;
            this.limit = limit;
        }

        private void add(ComparedMessage message) {
            counts.merge(message.difference, 1L, Long::sum);
            if (shown.size() < limit && only.contains(message.difference)) {
                shown.add(message);
            }
        }
    }

    private record TenantChannel(String tenant, String channel) {
        private static TenantChannel of(Row row) {
            return new TenantChannel(row.header().tenant(), row.header().operation());
        }
    }

    /** What runs in SHADOW would have sent to one channel. Places are drawn in the order of arrival, of real messages and of these. */
    private static final class RecordedSends {
        private final Set<RecordId> real = new HashSet<>();
        private long first = Long.MAX_VALUE;

        private void add(Row shadow) {
            Identity identity = ShadowSends.identity(shadow);
            real.add(identity.id());
            real.addAll(identity.neighbours());
            first = Math.min(first, place(shadow));
        }
    }

    private static long place(Row row) {
        return Objects.requireNonNull(row.line()).place();
    }

    /** @return whether these were all, and not only as many as may be looked at */
    private boolean forEachPage(State state, RecordFilter filter, int most, Consumer<List<Row>> use) {
        Cursor behind = Cursor.START;
        int left = most;
        while (behind != null && left > 0) {
            SearchedRecords page =
                    store.ledger().search(state, RecordSearch.of(filter), behind, PAGE, Math.min(left, LOOKED));
            use.accept(page.rows());
            left -= page.looked();
            behind = page.end();
        }
        return behind == null;
    }

    /** Of real messages those that came after the first that SHADOW recorded, and that no run in SHADOW would have sent. */
    private List<ComparedMessage> onlySent(List<Row> page, RecordedSends recorded) {
        List<Row> unmatched = page.stream()
                .filter(row -> row.line() != null && !ShadowSends.isOne(row))
                .filter(row -> place(row) > recorded.first && !recorded.real.contains(row.id()))
                .toList();
        if (unmatched.isEmpty()) {
            return List.of();
        }
        // What was recorded and is closed by now is in another state.
        FoundRecords closed = store.ledger()
                .find(unmatched.stream().map(row -> row.id().shadow()).toList(), WITHOUT_PAYLOAD);
        return unmatched.stream()
                .filter(row -> closed.live(row.id().shadow()) == null)
                .map(row -> new ComparedMessage(null, row, ShadowDifference.ONLY_SENT))
                .toList();
    }

    private List<ComparedMessage> compared(List<Row> shadows) {
        Set<RecordId> ids = new LinkedHashSet<>();
        for (Row shadow : shadows) {
            Identity identity = ShadowSends.identity(shadow);
            ids.add(identity.id());
            ids.addAll(identity.neighbours());
        }
        FoundRecords found = store.ledger().find(ids, WITHOUT_PAYLOAD);
        return shadows.stream().map(shadow -> compared(shadow, found)).toList();
    }

    private ComparedMessage compared(Row shadow, FoundRecords found) {
        Identity identity = ShadowSends.identity(shadow);
        Row real = found.live(identity.id());
        for (RecordId neighbour : identity.neighbours()) {
            real = real == null ? found.live(neighbour) : real;
        }
        if (real == null) {
            return new ComparedMessage(shadow, null, ShadowDifference.NOT_SENT);
        }
        return new ComparedMessage(
                shadow, real, isSame(shadow, real) ? ShadowDifference.SAME : ShadowDifference.OTHER_PAYLOAD);
    }

    /** By the rules and the schema version of either record, as a send is compared with the record that it finds. */
    private boolean isSame(Row shadow, Row real) {
        if (isIdentical(shadow, real)) {
            return true;
        }
        FoundRecords whole = store.ledger().find(List.of(shadow.id(), real.id()));
        return isMadeOf(real, payload(whole, shadow)) || isMadeOf(shadow, payload(whole, real));
    }

    private static byte @Nullable [] payload(FoundRecords whole, Row row) {
        Row found = whole.get(row.id());
        return found == null ? null : found.payload();
    }

    private static boolean isIdentical(Row one, Row other) {
        return one.header().fingerprint().equals(other.header().fingerprint());
    }

    private boolean isMadeOf(Row row, byte @Nullable [] payload) {
        if (payload == null) {
            return false;
        }
        String operation = row.header().operation();
        Operation.Definition<?, ?> known = definitions.apply(operation);
        // Of an operation that is not known here: JSON or bytes, each without transport fields.
        Stream<Operation.Definition<?, ?>> possible = known != null
                ? Stream.of(known)
                : Stream.of(Object.class, byte[].class)
                        .map(type ->
                                Operation.leased(operation, type, Object.class).definition());
        return possible.anyMatch(definition -> matches(row, definition, payload));
    }

    private static boolean matches(Row row, Operation.Definition<?, ?> definition, byte[] payload) {
        try {
            return Fingerprints.matches(row.header().fingerprint(), definition, payload);
        } catch (SemelException.Invalid e) {
            // No JSON, or rules of a newer version.
            return false;
        }
    }

    /**
     * Sends such a message for real, under its own record and through the same dedupe as every send, and closes the shadow's record:
     * in one commit. If it was sent meanwhile with the same payload, only the shadow's record is closed.
     *
     * @return refused when it was sent meanwhile with another payload, was discarded, or was replaced by what another run would send:
     *     nothing is changed then
     */
    ReplayOutcome send(Row shadow, Warrant warrant) {
        if (shadow.state() != State.SHADOWED) {
            return shadow.state() == State.COMPLETED ? ReplayOutcome.ALREADY : ReplayOutcome.REFUSED;
        }
        Transactions transactions = store.transactions()
                .orElseThrow(() -> new SemelException.Invalid("The store " + store.name()
                        + " has no transactions, so nothing of SHADOW can be sent on it. Use a SQL store."));
        long keep =
                Math.max(1, shadow.status().at() - store.switchboard().modes().now());
        return StoreExceptions.translated(() -> transactions.run(tx -> sent(tx, shadow, warrant, keep)));
    }

    private Ended<ReplayOutcome> sent(Tx tx, Row shadow, Warrant warrant, long keep) {
        Identity identity = ShadowSends.identity(shadow);
        Events.About about = Events.About.record(identity.id(), shadow.header(), warrant.origin(), "OPERATOR");
        AuditEntry queued = events.event(
                EventType.OPERATION_QUEUED,
                about,
                warrant.details("shadow", shadow.id().hex()));
        Enqueued enqueued = enqueue(tx, identity, ShadowSends.real(shadow, queued));
        if (enqueued instanceof Enqueued.EnqueueFailed failed) {
            throw failed.why();
        }
        if (enqueued instanceof Enqueued.Existing there && !isSame(shadow, there.row())) {
            return Ended.undo(ReplayOutcome.REFUSED);
        }
        boolean isNew = enqueued instanceof Enqueued.Made;
        Moved moved = tx.move(List.of(closed(shadow, identity, isNew, warrant, keep)))
                .get(0)
                .unlocked(shadow.id());
        if (!(moved instanceof Moved.Applied)) {
            return Ended.undo(moved instanceof Moved.Same ? ReplayOutcome.ALREADY : ReplayOutcome.REFUSED);
        }
        if (!isStill(tx, shadow)) {
            return Ended.undo(ReplayOutcome.REFUSED);
        }
        return Ended.keep(isNew ? ReplayOutcome.DONE : ReplayOutcome.ALREADY);
    }

    /** Asked when it is closed and nobody else can change it: whether no other run in SHADOW had replaced it since it was read. */
    private static boolean isStill(Tx tx, Row shadow) {
        return tx.lookUp(Transactions.ANY_MODES, List.of(Identity.of(shadow.id())))
                                .get(0)
                        instanceof LookupResult.Found now
                && isIdentical(shadow, now.row());
    }

    /** A key with a time bucket: lookup and insert under one lock, as for every send. */
    private static Enqueued enqueue(Tx tx, Identity identity, Arrival arrival) {
        if (!identity.neighbours().isEmpty()) {
            LookupResult lookup =
                    tx.lookUp(Transactions.ANY_MODES, List.of(identity)).get(0);
            if (lookup instanceof LookupResult.Locked) {
                throw new SemelException.Locked("Record " + identity.id()
                        + " is locked by another transaction that has not ended; nothing was written. Repeat the"
                        + " call later.");
            }
            if (lookup instanceof LookupResult.Found found) {
                return new Enqueued.Existing(found.row());
            }
        }
        return tx.enqueue(List.of(arrival)).get(0);
    }

    private Move closed(Row shadow, Identity identity, boolean isNew, Warrant warrant, long keep) {
        Map<String, Object> sent = Map.of("sent_as", identity.id().hex(), "new", isNew);
        Map<String, Object> details = warrant.details("was", shadow.state().name());
        details.putAll(sent);
        Events.About about = Events.About.record(shadow.id(), shadow.header(), warrant.origin(), "OPERATOR");
        return Transition.SEND_FOR_REAL.of(
                shadow,
                Transition.result(Duration.ofMillis(keep), JsonMapper.shared().writeValueAsBytes(sent)),
                events.event(EventType.OPERATOR_REPLAYED, about, details));
    }
}
