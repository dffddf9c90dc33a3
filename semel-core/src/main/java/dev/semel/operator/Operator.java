package dev.semel.operator;

import dev.semel.Call.Origin;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.CurrentModes;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The operator's actions. Each one carries who did it and why, and is written in the same commit as its audit event, so none
 * goes unaudited.
 */
public final class Operator {
    private static final int AT_ONCE = 10;

    /** To find an operation by its name so many records of each state are looked at. */
    private static final int NEWEST = 2_000;

    /** For a handler that was let through just before its node's reading of the modes grew old. */
    private static final Duration MARGIN = Duration.ofMillis(200);

    private final Store store;
    private final Consumer<RecordId> onForgotten;
    private final Events events = new Events(true);
    private final TimeSource time;
    private final ShadowMessages shadows;
    private final Replays replays;

    /**
     * @param onForgotten told of each record that was removed, so that local caches let go of it
     * @param policies of the operations that are known here
     * @param definitions of the operations that are known here
     * @param handled whether a handler of an operation is registered here
     */
    public Operator(
            Store store,
            TimeSource time,
            Function<String, @Nullable Policy> policies,
            Function<String, Operation.@Nullable Definition<?, ?>> definitions,
            Predicate<String> handled,
            Consumer<RecordId> onForgotten) {
        this.store = store;
        this.time = time;
        this.onForgotten = onForgotten;
        this.shadows = new ShadowMessages(store, events, definitions);
        this.replays = new Replays(store, events, time, policies, handled, shadows);
    }

    /** For a person who has the store but no engine. */
    public static Operator on(Store store) {
        return new Operator(
                store, TimeSource.system(), operation -> null, operation -> null, operation -> false, id -> {});
    }

    /**
     * Who acts, and why.
     *
     * @param actor 1 to 255 characters without control characters
     * @param reason written into the audit; 1 to {@link #MAX_REASON} characters without NUL
     */
    public record Warrant(String actor, String reason) {
        /** The longest reason in characters. */
        public static final int MAX_REASON = 2_000;

        public Warrant {
            if (actor.isBlank() || reason.isBlank()) {
                throw new SemelException.Invalid(
                        "An operator's action needs a name and a reason for the audit. Give both.");
            }
            SemelException.Invalid.unlessName("operator's name", actor, 255);
            SemelException.Invalid.unlessText("operator's reason", reason, MAX_REASON);
        }

        /** For an event: why, and what else there is to say. */
        Map<String, Object> details(String name, Object value) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("reason", reason);
            details.put(name, value);
            return details;
        }

        Origin origin() {
            return Origin.UNSTATED.withActor(actor, "operator").withSource("operator");
        }
    }

    /** The outcome of forgetting a key. */
    public enum Forgotten {
        /** The key is new again. */
        DONE,
        /** There was no record. */
        ABSENT
    }

    /**
     * Makes a key new again: its record and steps are removed, and the next call runs. Rejected while the record is
     * queued or running, because its run would continue.
     */
    public Forgotten forget(Tenant tenant, String operation, Key key, Warrant warrant) {
        RecordId id = Identity.of(tenant, operation, key).id();
        Row row = store.ledger().find(List.of(id)).get(id);
        if (row == null) {
            return Forgotten.ABSENT;
        }
        Events.About about = Events.About.record(id, row.header(), warrant.origin(), "OPERATOR");
        AuditEntry event = events.event(
                EventType.OPERATOR_FORGOT,
                about,
                warrant.details("was", row.state().name()));
        Move.Change change = Move.Change.NONE.at(Transition.FORGET.place(row.line(), Policy.DeadHead.CONTINUE));
        Move move = Transition.FORGET.of(row, change, event);
        if (store.ledger().move(List.of(move)).get(0).unlocked(id) instanceof Moved.Refused refused) {
            String now = refused.current() == null
                    ? "absent"
                    : refused.current().state().name();
            throw new SemelException.Invalid(operation + "/" + id + " (tenant " + tenant + ") is " + now
                    + ": it cannot be forgotten now. Wait for it to end, or halt the operation first, then try again.");
        }
        onForgotten.accept(id);
        return Forgotten.DONE;
    }

    /** The record of a key. */
    public Optional<Row> find(Tenant tenant, String operation, Key key) {
        RecordId id = Identity.of(tenant, operation, key).id();
        return Optional.ofNullable(store.ledger().find(List.of(id)).get(id));
    }

    /**
     * The records whose id begins with these digits; at most a few.
     *
     * @throws SemelException.Invalid when these are not digits of an id
     */
    public List<Row> find(String digits) {
        List<RecordId> range = RecordId.range(digits);
        return store.ledger().range(range.get(0), range.get(1), AT_ONCE);
    }

    /**
     * Whether the ledger holds anything of this operation: a pause, a mode, a waiting message, or one of the newest records of a state.
     *
     * @param tenant whose records; of all when absent
     */
    public boolean knows(String operation, @Nullable String tenant) {
        RecordSearch of = RecordSearch.of(new RecordFilter(tenant, operation, false, Long.MAX_VALUE));
        return tenant == null && isSetOrWaits(operation)
                || Arrays.stream(State.values())
                        .anyMatch(state -> !search(state, of, RecordFilter.Cursor.START, 1, NEWEST)
                                .rows()
                                .isEmpty());
    }

    private boolean isSetOrWaits(String operation) {
        return channelNames().contains(operation)
                || modes().settings().stream().anyMatch(setting -> operation.equals(setting.operation()));
    }

    /**
     * Whether the ledger holds anything of an operation in the group, among the newest records of each state. Labels are declared in the
     * code of applications, so those of a group by label are not known here.
     *
     * @param tenant whose records; of all when absent
     */
    public boolean knows(Switchboard.Group group, @Nullable String tenant) {
        RecordSearch of = RecordSearch.of(new RecordFilter(tenant, null, false, Long.MAX_VALUE));
        return tenant == null && channelNames().stream().anyMatch(name -> group.contains(name, Set.of()))
                || tenant == null && modes().settings().stream().anyMatch(setting -> group.equals(setting.group()))
                || Arrays.stream(State.values())
                        .flatMap(state -> search(state, of, RecordFilter.Cursor.START, NEWEST, NEWEST).rows().stream())
                        .anyMatch(row -> group.contains(row.header().operation(), Set.of()));
    }

    /** The channels of which something waits, runs, is parked or is UNKNOWN, and those that are paused. */
    public Set<String> channelNames() {
        Set<String> names = new TreeSet<>();
        channels().forEach(channel -> names.add(channel.operation()));
        return names;
    }

    /** Records in a state that match, without their contents; see {@link Ledger#search}. */
    public SearchedRecords search(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        return store.ledger().search(state, search, behind, limit, most);
    }

    /** Records in a state, those first that need attention last. */
    public List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        return store.ledger().list(state, filter, behind, limit);
    }

    /**
     * COMPLETED messages in the order of their lanes, without their payloads.
     *
     * @param behind the place where an earlier list ended; {@link Long#MIN_VALUE} for the first one
     */
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        return store.ledger().completedMessages(filter, behind, limit);
    }

    /** The records of these ids that are there, expired ones too. */
    public FoundRecords records(Collection<RecordId> ids) {
        return store.ledger().find(ids);
    }

    /**
     * Tells the audit that messages of a channel that were handled before are sent somewhere else, too.
     *
     * @param tenant null for all
     * @param details which, and where to
     */
    public void replaysHistory(String channel, @Nullable String tenant, Map<String, ?> details, Warrant warrant) {
        AuditEntry.Subject subject = new AuditEntry.Subject(tenant == null ? "*" : tenant, channel, null, null, null);
        Map<String, Object> all = new LinkedHashMap<>(details);
        all.put("reason", warrant.reason());
        store.audit()
                .append(List.of(events.event(
                        EventType.OPERATOR_REPLAYED, new Events.About(subject, warrant.origin(), null, 0), all)));
    }

    /** The events of a record, oldest first. */
    public List<AuditEvent> story(RecordId id, int limit) {
        List<AuditEvent> events = new ArrayList<>(store.audit().newest(AuditFilter.of(id), limit).stream()
                .map(AuditEvent::new)
                .toList());
        Collections.reverse(events);
        return events;
    }

    /**
     * Events before a position, newest first.
     *
     * @param before {@link AuditRow.Position#END} for the newest
     */
    public List<AuditRow> events(AuditFilter filter, AuditRow.Position before, int limit) {
        return store.audit().older(filter, before, limit);
    }

    /** Why a record is not done. */
    public Explanation explain(Row row) {
        return Explanation.of(store, row, time.millis());
    }

    /** As {@link #explain}, for somebody of the record's tenant: nothing of other records, and nothing that operators wrote. */
    public Explanation explainToTenant(Row row) {
        return Explanation.toTenant(store, row, time.millis());
    }

    /** A record with its steps and what it sent. */
    public Tree tree(Row row) {
        return Tree.of(store.ledger(), row);
    }

    /** Compares what a source says it delivered with this ledger. */
    public DeliveryCheck deliveries() {
        return new DeliveryCheck(store.ledger(), operation -> null);
    }

    /** Dead letters, and messages whose outcome is unknown. */
    public UnresolvedMessages letters() {
        return new UnresolvedMessages(store.ledger());
    }

    /** Messages that runs in SHADOW would have sent. */
    public ShadowMessages shadows() {
        return shadows;
    }

    /** Handles replays of many; see {@link Replays#CHANNEL}. */
    public Replays replays() {
        return replays;
    }

    /** Sends one record to its handler again, or, if it has none here and came by a direct call, lets the next caller run it. */
    public Replays.ReplayOutcome replay(RecordId id, Warrant warrant) {
        return replays.replay(store.ledger().find(List.of(id)).live(id), warrant);
    }

    /** Closes one record; its lane continues. */
    public Replays.ReplayOutcome discard(RecordId id, Warrant warrant) {
        Row row = store.ledger().find(List.of(id)).live(id);
        return replays.discard(row, warrant, Policy.Retention.API.deadLetters(), Replays.Closing.DISCARD);
    }

    /** Where calls and messages stand, and their cancellation, as applications have them too. */
    public CallStatuses calls() {
        return new CallStatuses(store, replays);
    }

    /** How retries went since a moment. */
    public RetryReport retries(AuditFilter filter, Instant since) {
        return RetryReport.of(store.audit(), filter, since.toEpochMilli());
    }

    /**
     * Retries per minute since a moment.
     *
     * @param category only after failures of it; all when absent
     */
    public RetryRates retryRates(AuditFilter filter, Instant since, @Nullable String category) {
        return RetryRates.of(RetryWindow.of(store.audit(), filter, since.toEpochMilli()), category);
    }

    /** What the retries since a moment suggest to change; empty when they suggest nothing. */
    public RetryAdvice.AdviceList retryAdvice(AuditFilter filter, Instant since) {
        return RetryAdvice.of(RetryWindow.of(store.audit(), filter, since.toEpochMilli()));
    }

    /** Every channel of which there is something to tell, by name. */
    public List<ChannelState> channels() {
        return channelCensus(null).states(modes());
    }

    /**
     * How many messages of each channel wait, run, are parked or are UNKNOWN.
     *
     * @param tenant whose messages; those of all when absent
     */
    public ChannelCensus channelCensus(@Nullable String tenant) {
        return ChannelCensus.of(store, tenant);
    }

    /** Writes who was let in as an operator, and who was not. */
    public AccessEvents access() {
        return new AccessEvents(store.audit(), events);
    }

    /** The modes and pauses that are set. */
    public Switchboard.Modes modes() {
        return store.switchboard().modes();
    }

    /** Stops claims from a channel, for all nodes, until it is resumed. It accepts messages meanwhile. */
    public long pause(String operation, @Nullable String tenant, Warrant warrant) {
        demandNames(operation, tenant);
        Switchboard.Pause pause = new Switchboard.Pause(operation, tenant, warrant.reason(), time.millis(), 0);
        return store.switchboard().pause(pause, channelEvent(EventType.CHANNEL_PAUSED, operation, tenant, warrant));
    }

    /** Ends a pause; says whether there was one. */
    public boolean resume(String operation, @Nullable String tenant, Warrant warrant) {
        demandNames(operation, tenant);
        return store.switchboard()
                .resume(operation, tenant, channelEvent(EventType.CHANNEL_RESUMED, operation, tenant, warrant));
    }

    /** A setting for a name that no operation and no tenant can have would never apply. */
    private static void demandNames(@Nullable String operation, @Nullable String tenant) {
        if (operation != null) {
            SemelException.Invalid.unlessName("operation name", operation, 120);
        }
        if (tenant != null) {
            Tenant.of(tenant);
        }
    }

    private AuditEntry channelEvent(EventType type, String operation, @Nullable String tenant, Warrant warrant) {
        AuditEntry.Subject subject = new AuditEntry.Subject(tenant == null ? "*" : tenant, operation, null, null, null);
        return events.event(
                type, new Events.About(subject, warrant.origin(), null, 0), Map.of("reason", warrant.reason()));
    }

    /** Sets a mode for all nodes. Grants made before are not undone; none is made after. */
    public long setMode(Switchboard.Setting setting, Warrant warrant) {
        Switchboard.Group group = setting.group();
        String operation = group == null ? setting.operation() : null;
        demandNames(operation, setting.tenant());
        String tenant = setting.tenant() == null ? "*" : setting.tenant();
        AuditEntry.Subject subject = new AuditEntry.Subject(tenant, operation, null, null, null);
        Map<String, Object> details = warrant.details("mode", setting.mode().name());
        if (group != null) {
            details.put("group", group.toString());
        }
        AuditEntry event =
                events.event(EventType.MODE_CHANGED, new Events.About(subject, warrant.origin(), null, 0), details);
        return store.switchboard().set(setting, event);
    }

    /**
     * Waits until every node has seen a change of modes or pauses that was made before: after it nothing starts that
     * they forbid. It does not wait for running calls.
     */
    public void awaitModes() throws InterruptedException {
        time.sleep(CurrentModes.FRESH.plus(MARGIN));
    }

    /**
     * Takes a restored store into use: a new epoch, so that no old fence is ever valid, and every run that was under way
     * becomes UNKNOWN.
     *
     * @return how many runs that were
     */
    public int adopt(Warrant warrant) {
        Events.About about = Events.About.tenant("*", warrant.origin());
        AuditEntry adoption = events.event(EventType.STORE_ADOPTED, about, Map.of("reason", warrant.reason()));
        return store.switchboard().adopt(row -> unknown(row, warrant), adoption);
    }

    /**
     * Writes an event of something that an operator did, or tried to do, outside the ledger, such as a reload of a server.
     *
     * @param tenant whom it concerns; all when absent
     * @throws SemelException.StoreUnavailable when it could not be written: the action must not be carried out then
     */
    public void audit(EventType type, @Nullable String tenant, Warrant warrant, Map<String, ?> details) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("reason", warrant.reason());
        all.putAll(details);
        Events.About about = Events.About.tenant(tenant == null ? "*" : tenant, warrant.origin());
        store.audit().append(List.of(events.event(type, about, all)));
    }

    private AuditEntry unknown(Row row, Warrant warrant) {
        Events.About about = Events.About.record(row.id(), row.header(), warrant.origin(), "OPERATOR");
        return events.event(
                EventType.OPERATION_UNKNOWN,
                about,
                Map.of("category", "lease_lost", "reason", "the store was adopted"));
    }
}
