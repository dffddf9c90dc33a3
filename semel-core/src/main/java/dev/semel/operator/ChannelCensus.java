package dev.semel.operator;

import dev.semel.store.Ledger;
import dev.semel.store.Queue;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCensus.OperationCount;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard.Modes;
import dev.semel.store.Switchboard.Pause;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How many messages of each channel wait, run, are parked or are UNKNOWN: of all tenants, or of one. Each count looks at a bounded number
 * of records, of all channels together, so its cost depends neither on the number of records nor on that of channels.
 *
 * @param tenant whose messages these are; all when absent
 * @param others channels of which there is something that may not have been looked at
 */
public record ChannelCensus(
        @Nullable String tenant,
        WaitingCounts waiting,
        StateCensus running,
        StateCensus unknown,
        StateCensus dead,
        Set<String> others) {
    public ChannelCensus {
        others = Set.copyOf(others);
    }

    /** Messages that were not tried yet, and those that failed and are tried again. */
    public record WaitingCounts(StateCensus queued, StateCensus retrying) {}

    static ChannelCensus of(Store store, @Nullable String tenant) {
        ChannelCensus counted = new ChannelCensus(
                tenant,
                new WaitingCounts(count(store, State.QUEUED, tenant), count(store, State.FAILED_RETRYABLE, tenant)),
                count(store, State.IN_PROGRESS, tenant),
                count(store, State.UNKNOWN, tenant),
                count(store, State.FAILED_TERMINAL, tenant),
                Set.of());
        return counted.complete() || tenant != null ? counted : counted.with(namesOfWaiting(store));
    }

    private static StateCensus count(Store store, State state, @Nullable String tenant) {
        Ledger ledger = store.ledger();
        return ledger.census(state, tenant, Status.NEVER, PresentState.MOST);
    }

    private static Set<String> namesOfWaiting(Store store) {
        return store.queue().map(Queue::operations).orElse(Set.of());
    }

    private ChannelCensus with(Set<String> found) {
        return new ChannelCensus(tenant, waiting, running, unknown, dead, found);
    }

    private Stream<StateCensus> all() {
        return Stream.of(waiting.queued, waiting.retrying, running, unknown, dead);
    }

    /** Whether everything was looked at. If not, counts are at least so high, and channels of one tenant may be missing. */
    public boolean complete() {
        return all().allMatch(StateCensus::complete);
    }

    /** The channels of which something waits, runs, is parked or is UNKNOWN. */
    public Set<String> names() {
        Set<String> names = new TreeSet<>(others);
        Stream.of(waiting.queued, waiting.retrying, running, unknown)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.queued() > 0)
                .forEach(count -> names.add(count.operation()));
        dead.operations().stream().filter(count -> count.heads() > 0).forEach(count -> names.add(count.operation()));
        return names;
    }

    /** Every channel of which there is something to tell, by name, with the pauses and modes of this moment. */
    public List<ChannelState> states(Modes modes) {
        Set<String> names = new TreeSet<>(names());
        modes.pauses().stream().filter(this::isToBeListed).forEach(pause -> names.add(pause.operation()));
        List<ChannelState> states = new ArrayList<>();
        for (String name : names) {
            List<Pause> pauses = modes.pauses().stream()
                    .filter(pause -> tenant == null ? pause.operation().equals(name) : pause.appliesTo(name, tenant))
                    .toList();
            states.add(new ChannelState(
                    name,
                    backlog(name, modes.now()),
                    sum(name, OperationCount::queued, unknown),
                    pauses,
                    tenant == null ? modes.ofAll(name) : modes.of(tenant, name)));
        }
        return states;
    }

    /** For somebody of one tenant a pause of all tenants may be of a channel that belongs to others. */
    private boolean isToBeListed(Pause pause) {
        return tenant == null || tenant.equals(pause.tenant());
    }

    private Queue.Backlog backlog(String name, long now) {
        long oldest = counts(name, waiting.queued, waiting.retrying)
                .mapToLong(OperationCount::earliestAt)
                .filter(at -> at <= now)
                .min()
                .orElse(Status.NEVER);
        return new Queue.Backlog(
                sum(name, OperationCount::queued, waiting.queued, waiting.retrying),
                oldest,
                sum(name, OperationCount::heads, unknown, dead));
    }

    private static long sum(String name, ToLongFunction<OperationCount> what, StateCensus... of) {
        return counts(name, of).mapToLong(what).sum();
    }

    private static Stream<OperationCount> counts(String name, StateCensus... of) {
        return Stream.of(of)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.operation().equals(name) && count.queued() > 0);
    }
}
