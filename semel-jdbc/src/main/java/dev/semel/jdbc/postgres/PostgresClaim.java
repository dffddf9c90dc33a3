package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One claim. Records outside lanes are granted by one commit, records in lanes by another, and records whose lease has
 * expired by a third; as a rule an operation has only one kind, and the others cost nothing.
 */
final class PostgresClaim {
    private static final String WHAT = "a claim";

    /** How often a claim starts over because rows were locked by others; after that it leaves them to the next claim. */
    private static final int BLOCKED_ROUNDS = 4;

    private final PostgresSessions sessions;
    private final PostgresClaimHints hints;
    private final Claim claim;
    private final List<Row> rows = new ArrayList<>();
    private final List<Long> overLanes = new ArrayList<>();
    private String last;
    private boolean more;
    private boolean modesChanged;
    private boolean partial;
    private int takeovers;

    PostgresClaim(PostgresSessions sessions, PostgresClaimHints hints, Claim claim) {
        this.sessions = sessions;
        this.hints = hints;
        this.claim = claim;
        this.last = claim.turns().after();
        this.takeovers = claim.amount().takeovers();
    }

    Claimed run() {
        try {
            grant();
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            // The rows of committed parts are returned; the caller claims again for the rest.
            if (rows.isEmpty()) {
                throw e;
            }
            more = true;
            partial = true;
        }
        return modesChanged && rows.isEmpty()
                ? new Claimed(List.of(), false, claim.turns().after(), true)
                : new Claimed(rows, more || modesChanged, last, false, partial);
    }

    private void grant() {
        boolean tookOver = hints.hasOver();
        if (tookOver) {
            takeOver();
        }
        boolean lanesFirst = hints.lanesFirst();
        if (lanesFirst || !overLanes.isEmpty()) {
            lanes();
        }
        if (open() > 0 && !(lanesFirst && more)) {
            free();
            if (!lanesFirst && hints.hasLanes()) {
                lanes();
            }
            if (!tookOver && hints.hasOver()) {
                takeOver();
                if (!overLanes.isEmpty()) {
                    lanes();
                }
            }
        }
    }

    private int open() {
        return modesChanged ? 0 : claim.amount().records() - rows.size();
    }

    /** Of one tenant: no others are looked for. */
    private boolean isOfOne() {
        return claim.turns().only() != null;
    }

    private void free() {
        List<PostgresTenants.Tenant> known =
                hints.known(false, last, claim.turns().except());
        if (known != null && !known.isEmpty()) {
            free(known, false, limited() ? 0 : Integer.MAX_VALUE);
            if (open() == 0) {
                return;
            }
        }
        PostgresTenants.Found found = sessions.once(
                WHAT,
                c -> PostgresTenants.free(
                        c, sessions.now(), claim, claim.turns().after()));
        hints.searched(found.lanes(), found.over());
        if (found.tenants().isEmpty()) {
            hints.forget(false);
            return;
        }
        free(found.tenants(), true, retries(found));
    }

    private void free(List<PostgresTenants.Tenant> tenants, boolean searched, int retries) {
        PostgresTenants.Share share = new PostgresTenants.Share(tenants, searched || isOfOne(), open(), retries);
        PostgresUnorderedClaim.UnorderedGrants granted =
                sessions.once(WHAT, c -> new PostgresUnorderedClaim(c, sessions.now(), claim).grant(share));
        spent(retries, granted.retries());
        modesChanged |= granted.modesChanged();
        add(granted.rows());
        boolean full = granted.rows().size() == share.most();
        more |= full || full(granted.rows(), granted.each());
        if (full) {
            hints.remember(false, granted.floors(), claim.turns().except(), searched);
        } else {
            hints.forget(false);
        }
    }

    /** Whether a tenant had at least as much as its part. */
    private static boolean full(List<Row> rows, int each) {
        int count = 0;
        String before = "";
        for (Row row : rows) {
            count = row.header().tenant().equals(before) ? count + 1 : 1;
            before = row.header().tenant();
            if (count >= each) {
                return true;
            }
        }
        return false;
    }

    private void lanes() {
        if (open() == 0) {
            return;
        }
        List<Long> over = List.copyOf(overLanes);
        overLanes.clear();
        List<PostgresTenants.Tenant> known =
                hints.known(true, last, claim.turns().except());
        boolean searched = known == null || known.isEmpty();
        PostgresTenants.@Nullable Found found = searched
                ? sessions.once(
                        WHAT,
                        c -> PostgresTenants.lanes(
                                c, sessions.now(), claim, claim.turns().after()))
                : null;
        List<PostgresTenants.Tenant> tenants = found == null ? known : found.tenants();
        if (tenants.isEmpty() && over.isEmpty()) {
            hints.forget(true);
            return;
        }
        int retries = found == null ? limited() ? 0 : Integer.MAX_VALUE : retries(found);
        PostgresTenants.Share share = new PostgresTenants.Share(tenants, found != null || isOfOne(), open(), retries);
        PostgresLaneClaim.LaneGrants granted = grantLanes(share, over);
        spent(retries, granted.retries());
        modesChanged |= granted.modesChanged();
        add(granted.rows());
        last = granted.last() == null ? last : granted.last();
        boolean onlyKnown = found == null && granted.rows().isEmpty();
        boolean again = hints.worthAskingAgain(granted.rest());
        more |= again || onlyKnown;
        if (again) {
            hints.remember(true, granted.floors(), claim.turns().except(), found != null);
        } else {
            hints.forget(true);
        }
    }

    /** A lane in which another transaction has locked a row is skipped, so that the others continue. */
    private PostgresLaneClaim.LaneGrants grantLanes(PostgresTenants.Share share, List<Long> over) {
        Set<Long> except = new HashSet<>();
        for (int round = 1; ; round++) {
            try {
                int[] left = {takeovers};
                PostgresLaneClaim.LaneGrants granted = sessions.transaction(WHAT, c -> {
                    PostgresLaneClaim lanes = new PostgresLaneClaim(c, sessions.now(), claim, takeovers);
                    PostgresLaneClaim.LaneGrants some = lanes.grant(share, over, except);
                    left[0] = lanes.takeovers();
                    return some;
                });
                takeovers = left[0];
                return granted;
            } catch (SemelException.Locked e) {
                if (round == BLOCKED_ROUNDS || !(e.getCause() instanceof PostgresLaneClaim.Blocked blocked)) {
                    throw e;
                }
                except.addAll(sessions.transaction(WHAT, blocked::lanes));
            }
        }
    }

    private void takeOver() {
        int most = Math.min(open(), takeovers);
        if (most <= 0) {
            // Remembered: the next claim begins with it, however much else is due.
            return;
        }
        hints.tookOver();
        if (!claim.grant().repeatable()) {
            return;
        }
        PostgresUnorderedClaim.Over over =
                sessions.transaction(WHAT, c -> new PostgresUnorderedClaim(c, sessions.now(), claim).takeOver(most));
        modesChanged |= over.modesChanged();
        rows.addAll(over.rows());
        takeovers -= over.rows().size();
        overLanes.addAll(over.lanes());
        more |= over.rows().size() + over.lanes().size() == most;
    }

    private void add(List<Row> granted) {
        rows.addAll(granted);
        if (!granted.isEmpty()) {
            last = granted.get(granted.size() - 1).header().tenant();
        }
    }

    private boolean limited() {
        return claim.amount().budget().perSecond() > 0;
    }

    /** How many retries may begin. Nothing is taken from a budget when no retry is due. */
    private int retries(PostgresTenants.Found found) {
        if (!limited()) {
            return Integer.MAX_VALUE;
        }
        int asked = open();
        return found.retries() ? sessions.once(WHAT, c -> PostgresBudget.take(c, sessions.now(), claim, asked)) : 0;
    }

    private void spent(int taken, int used) {
        if (limited() && taken != used) {
            sessions.once(WHAT, c -> {
                PostgresBudget.giveBack(c, claim.operation(), taken - used);
                return true;
            });
        }
    }
}
