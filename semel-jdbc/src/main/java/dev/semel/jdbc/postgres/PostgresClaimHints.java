package dev.semel.jdbc.postgres;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node remembers of an operation from one claim to the next, so that most claims need not search. Only hints: a
 * claim that finds less than it asked for searches, and so does one every now and then.
 */
final class PostgresClaimHints {
    private static final long SEARCH_EVERY_NANOS = 500_000_000;
    private static final int LOOK_AT_BOTH_EVERY = 8;

    /**
     * How many claims in a row are repeated at once although they found only locked lanes: a lane is locked for a moment,
     * unless its holder is paused.
     */
    private static final int ASK_AGAIN_FOR_HELD = 8;

    /** Tenants that had something due, with where to look for more of it. */
    private record Known(List<PostgresTenants.Tenant> tenants, Set<String> except, long since) {}

    private final String operation;
    private @Nullable Known free;
    private @Nullable Known lanes;
    private boolean inLanes;
    private boolean over;
    private int claims;
    private int inVain;

    PostgresClaimHints(String operation) {
        this.operation = operation;
    }

    /** Whether lanes are claimed first: when the last claim found something there, though not every time. */
    synchronized boolean lanesFirst() {
        return inLanes && ++claims % LOOK_AT_BOTH_EVERY != 0;
    }

    synchronized boolean hasLanes() {
        return inLanes;
    }

    synchronized boolean hasOver() {
        return over;
    }

    synchronized void searched(boolean foundLanes, boolean foundOver) {
        inLanes = foundLanes;
        over = foundOver;
    }

    synchronized void tookOver() {
        over = false;
    }

    /** The tenants known to have had more, in turn; null when they must be searched for. */
    synchronized @Nullable List<PostgresTenants.Tenant> known(boolean ofLanes, String after, Set<String> except) {
        Known known = ofLanes ? lanes : free;
        if (known == null || !known.except.equals(except) || System.nanoTime() - known.since > SEARCH_EVERY_NANOS) {
            return null;
        }
        List<PostgresTenants.Tenant> round = new ArrayList<>();
        known.tenants.stream().filter(t -> t.name().compareTo(after) > 0).forEach(round::add);
        known.tenants.stream().filter(t -> t.name().compareTo(after) <= 0).forEach(round::add);
        return round;
    }

    /** @param fresh whether they were searched for just now */
    synchronized void remember(
            boolean ofLanes, List<PostgresTenants.Tenant> tenants, Set<String> except, boolean fresh) {
        Known old = ofLanes ? lanes : free;
        long since = fresh || old == null ? System.nanoTime() : old.since;
        List<PostgresTenants.Tenant> sorted = tenants.stream()
                .sorted(Comparator.comparing(PostgresTenants.Tenant::name))
                .toList();
        Known known = new Known(sorted, except, since);
        if (ofLanes) {
            lanes = known;
        } else {
            free = known;
        }
    }

    synchronized void forget(boolean ofLanes) {
        if (ofLanes) {
            lanes = null;
        } else {
            free = null;
        }
    }

    /** Whether another claim at once may find more. After several in a row that found only locked lanes it may not. */
    synchronized boolean worthAskingAgain(PostgresLaneClaim.Rest rest) {
        inVain = rest == PostgresLaneClaim.Rest.HELD ? inVain + 1 : 0;
        return rest == PostgresLaneClaim.Rest.MORE || inVain > 0 && inVain <= ASK_AGAIN_FOR_HELD;
    }

    @Override
    public String toString() {
        return operation;
    }
}
