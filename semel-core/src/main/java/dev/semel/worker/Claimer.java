package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Mode;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims records of one channel: as many as the window, the receiver's limits and the channel's pauses allow. One thread claims
 * at a time.
 */
final class Claimer<P, R> {
    private static final Logger LOG = LoggerFactory.getLogger(Claimer.class);
    private static final int LARGEST_CLAIM = 512;
    private static final int LONGEST_LANE_GROUP = 256;

    private final ChannelContext<P, R> context;
    private final ReceiverProtection receiver;
    private final ClaimWindow window;
    private final ClaimedBuffer<P, R> buffer;
    private final BufferFiller<P, R> filler;
    private final ClaimSchedule schedule;
    private final LostClaims lost;

    /** Records of the present claim whose last holder let its lease expire. */
    private final Set<RecordId> takenOver = new HashSet<>();

    /** Set before a claim, so that a result that is written meanwhile is not missed. */
    private volatile boolean waitsForResults;

    private String lastTenant = "";

    Claimer(
            ChannelContext<P, R> context,
            ReceiverProtection receiver,
            ClaimWindow window,
            ClaimedBuffer<P, R> buffer,
            BufferFiller<P, R> filler,
            ClaimSchedule schedule) {
        this.context = context;
        this.receiver = receiver;
        this.window = window;
        this.buffer = buffer;
        this.filler = filler;
        this.schedule = schedule;
        this.lost = new LostClaims(context.policy().limits().lease());
    }

    /** Whether a claim may bring more now that results are written: there was no room and is now, or heads of lanes were held. */
    boolean waitsForResults() {
        return waitsForResults && (window.holdsLanes() || !window.isFull());
    }

    /** Claims what there is room for. */
    ClaimOutcome claim() {
        waitsForResults = true;
        boolean heldLanes = window.holdsLanes();
        ClaimOutcome outcome = claimUpToRoom();
        waitsForResults = outcome == ClaimOutcome.FULL || window.isFull() || heldLanes || window.holdsLanes();
        long nextPermit = receiver.nextPermitNanos();
        if (nextPermit > 0) {
            schedule.retryAt(context.time().nanos() + nextPermit);
        }
        return outcome;
    }

    private ClaimOutcome claimUpToRoom() {
        boolean full = window.isFull();
        int open = full ? openForIdleHandlers() : window.open();
        int fitting = open <= 0 ? 0 : window.large().claimable(Math.min(LARGEST_CLAIM, open));
        int room = fitting == 0 ? 0 : receiver.claimable(fitting, window.held());
        if (room <= 0) {
            return ClaimOutcome.FULL;
        }
        Switchboard.Modes modes = context.services().modes().fresh();
        ChannelPauses.Claimable claimable = context.pauses().claimable(modes, context.name());
        if (context.services().modes().mode(modes, context.operation()) == Mode.HALTED
                || claimable == ChannelPauses.Claimable.NONE) {
            return ClaimOutcome.NOTHING;
        }
        takenOver.clear();
        if (takeUpLostClaim()) {
            return ClaimOutcome.MORE;
        }
        if (claimable == ChannelPauses.Claimable.ALL && probeTenant(modes)) {
            return ClaimOutcome.MORE;
        }
        Claim.Turns turns = new Claim.Turns(lastTenant, excludedTenants(modes, full));
        return claim(request(modes, claimable == ChannelPauses.Claimable.PROBE ? 1 : room, turns), claimable);
    }

    /** Claims one message of a tenant for which the channel is paused, if it is time to see whether it works again. */
    private boolean probeTenant(Switchboard.Modes modes) {
        String tenant = context.pauses().tenantToProbe(modes, context.name());
        if (tenant == null || context.services().modes().mode(modes, tenant, context.operation()) == Mode.HALTED) {
            return false;
        }
        String last = lastTenant;
        claim(request(modes, 1, Claim.Turns.only(tenant)), ChannelPauses.Claimable.PROBE);
        lastTenant = last;
        return true;
    }

    /**
     * How much may be claimed although the window is full: handlers are idle because all that waits is of tenants that have their
     * share of them. Such a claim is for other tenants, and no larger than one tenant's share, so that it leaves little behind
     * that waits in its turn.
     */
    private int openForIdleHandlers() {
        Channel.Capacity capacity = context.capacity();
        return capacity.perTenant() == capacity.concurrency()
                ? 0
                : Math.min(capacity.perTenant(), capacity.concurrency() - buffer.usableHandlers());
    }

    private ClaimOutcome claim(Claim request, ChannelPauses.Claimable claimable) {
        boolean starving = buffer.size() + buffer.suspects() == 0;
        long since = context.time().nanos();
        Claimed claimed = send(request, since);
        if (claimed.modesChanged()) {
            context.services().modes().reload();
            return ClaimOutcome.MORE;
        }
        if (!claimed.rows().isEmpty()) {
            context.services().modes().confirmed(request.modesVersion(), since);
        }
        lastTenant = claimed.last();
        List<Row> rows = withPayloads(request, since, claimed.rows());
        boolean allFit = fill(rows, since, new HashSet<>());
        boolean all = claimable == ChannelPauses.Claimable.ALL;
        if (all
                && starving
                && !window.large().areCommon()
                && rows.size() >= request.amount().records()) {
            window.grow();
        }
        if (!allFit) {
            return ClaimOutcome.FULL;
        }
        return all && claimed.more() ? ClaimOutcome.MORE : ClaimOutcome.NOTHING;
    }

    /** Says whether there was room for all of them; the others were handed back. */
    private boolean fill(List<Row> rows, long since, Set<Long> stopped) {
        filler.fill(rows, since, takenOver, stopped);
        List<Row> read = rows.stream().filter(row -> row.withheld() == 0).toList();
        receiver.claimed(read);
        return read.size() == rows.size();
    }

    /** If the payloads cannot be read, the claim is taken up again like one whose reply was lost. */
    private List<Row> withPayloads(Claim claim, long since, List<Row> rows) {
        try {
            return withPayloads(rows);
        } catch (RuntimeException | Error e) {
            lost.add(claim, since, takenOver, List.of());
            throw e;
        }
    }

    private List<Row> withPayloads(List<Row> rows) {
        return window.large().read(rows, context.services().store().ledger());
    }

    private Claimed send(Claim claim, long since) {
        try {
            Claimed claimed = queue().claim(claim);
            if (claimed.partial()) {
                lost.add(claim, since, takenOver, claimed.rows());
            }
            return claimed;
        } catch (RuntimeException | Error e) {
            lost.add(claim, since, takenOver, List.of());
            throw e;
        }
    }

    /** Puts into the buffer what an earlier claim was granted although its reply never arrived. */
    private boolean takeUpLostClaim() {
        LostClaims.FoundClaim found =
                lost.find(queue(), this::withPayloads, context.time().nanos());
        if (found == null) {
            return false;
        }
        LOG.info(
                "{}: the reply to an earlier claim was lost; continuing with the {} records that it was granted.",
                context.name(),
                found.rows().size());
        takenOver.addAll(found.takenOver());
        fill(found.rows(), found.since(), new HashSet<>(found.headless()));
        return true;
    }

    private Queue queue() {
        return context.services().store().queue().orElseThrow();
    }

    private Claim request(Switchboard.Modes modes, int room, Claim.Turns turns) {
        boolean repeatable = context.mayRepeat();
        int suspects = context.permit().isFreeSoon() ? Math.max(0, Math.min(room, window.openForSuspects())) : 0;
        return new Claim(
                context.name(),
                modes.version(),
                new Reservation.Grant(
                        context.services().tools().random().nextLong(1, Long.MAX_VALUE),
                        context.policy().limits().lease().toMillis(),
                        repeatable,
                        context.policy().retry().maxAttempts()),
                new Claim.Amount(
                        room,
                        repeatable ? LONGEST_LANE_GROUP : 1,
                        suspects,
                        new Claim.Budget(context.policy().retry().budget()),
                        Claim.Amount.SMALL),
                turns,
                this::takenOver);
    }

    /** Tenants of which nothing is claimed now: those that are crowded here, switched off, paused or over their rate limit. */
    private Set<String> excludedTenants(Switchboard.Modes modes, boolean full) {
        int perTenant = context.capacity().perTenant();
        int crowd = full ? perTenant : Math.max(perTenant, window.size() / 2);
        Set<String> excluded = new HashSet<>(buffer.crowded(crowd));
        excluded.removeIf(tenant -> perTenant == context.capacity().concurrency());
        for (Switchboard.Setting setting : modes.settings()) {
            String tenant = setting.tenant();
            if (tenant != null && context.services().modes().mode(modes, tenant, context.operation()) == Mode.HALTED) {
                excluded.add(tenant);
            }
        }
        excluded.addAll(context.pauses().tenants(modes, context.name()));
        excluded.addAll(receiver.tenantsWithoutPermit());
        return excluded;
    }

    private @Nullable AuditEntry takenOver(Row row) {
        takenOver.add(row.id());
        Events.About about =
                Events.About.stored(row.id(), row.header(), context.policy().code());
        return context.services().audits().events().outcome(EventType.OPERATION_TAKEN_OVER, about, Map.of());
    }
}
