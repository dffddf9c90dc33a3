package dev.semel.operator;

import dev.semel.store.Ledger;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCensus.OperationCount;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the ledger stands now, of one tenant or of all. Each count looks at a bounded number of records, through an index.
 *
 * @param tenant all tenants when absent
 * @param expired records in progress whose lease was over {@link #OLD_LEASE} ago
 * @param pending what is still to be run
 */
record PresentState(
        @Nullable String tenant,
        Switchboard.Modes modes,
        StateCensus unknown,
        StateCensus dead,
        StateCensus expired,
        PendingCensus pending) {
    /**
     * @param queued messages that were not tried yet
     * @param retrying records that failed and are tried again
     */
    record PendingCensus(StateCensus queued, StateCensus retrying) {
        Stream<OperationCount> operations() {
            return Stream.of(queued, retrying).flatMap(census -> census.operations().stream());
        }

        boolean complete() {
            return queued.complete() && retrying.complete();
        }
    }

    /** So many records of a state are looked at. */
    static final int MOST = 10_000;

    /** Nodes look for expired leases every second: one that is over for so long is handled nowhere. */
    static final Duration OLD_LEASE = Duration.ofMinutes(1);

    static PresentState of(Store store, @Nullable String tenant) {
        Ledger ledger = store.ledger();
        Switchboard.Modes modes = store.switchboard().modes();
        return new PresentState(
                tenant,
                modes,
                ledger.census(State.UNKNOWN, tenant, Status.NEVER, MOST),
                ledger.census(State.FAILED_TERMINAL, tenant, Status.NEVER, MOST),
                ledger.census(State.IN_PROGRESS, tenant, modes.now() - OLD_LEASE.toMillis(), MOST),
                new PendingCensus(
                        ledger.census(State.QUEUED, tenant, Status.NEVER, MOST),
                        ledger.census(State.FAILED_RETRYABLE, tenant, Status.NEVER, MOST)));
    }

    /** The operations of which messages wait, or that need a person. A tenant has those of its own: names tell of others. */
    Set<String> operations() {
        Set<String> names = new TreeSet<>();
        Stream.of(unknown, dead, expired, pending.queued, pending.retrying)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.queued() > 0)
                .forEach(count -> names.add(count.operation()));
        modes.pauses().stream()
                .filter(pause -> tenant == null || tenant.equals(pause.tenant()))
                .forEach(pause -> names.add(pause.operation()));
        return names;
    }

    Overview.WaitingMessages waiting(String operation) {
        long oldest = pending.operations()
                .filter(count -> count.operation().equals(operation) && count.queued() > 0)
                .mapToLong(OperationCount::earliestAt)
                .filter(at -> at <= modes.now())
                .min()
                .orElse(-1);
        return new Overview.WaitingMessages(
                sum(operation, OperationCount::queued, pending.queued, pending.retrying),
                pending.complete(),
                oldest < 0 ? -1 : modes.now() - oldest,
                parkedLanes().getOrDefault(operation, 0L));
    }

    /** Lanes whose head is dead or UNKNOWN, by operation. */
    Map<String, Long> parkedLanes() {
        Map<String, Long> lanes = new TreeMap<>();
        Stream.of(unknown, dead)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.heads() > 0)
                .forEach(count -> lanes.merge(count.operation(), count.heads(), Long::sum));
        return lanes;
    }

    private static long sum(String operation, ToLongFunction<OperationCount> what, StateCensus... of) {
        return Stream.of(of)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.operation().equals(operation))
                .mapToLong(what)
                .sum();
    }
}
