package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.DeathDelivering;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.EngineServices;
import dev.semel.execution.ExternalDelivering;
import dev.semel.execution.ExternalDelivering.StartDecision;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.execution.PendingDeath;
import dev.semel.execution.UnreadablePayload;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.FoundRecords;
import dev.semel.store.Line;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import dev.semel.worker.ExternalClaims.ClaimTerms;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.GrantedAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One claim of {@link ExternalClaims}. It claims in parts, so that it never reads many large payloads at once. What a handler of this
 * process would not begin (switched off, too late, dying, not readable) is ended here; what it would begin is granted.
 *
 * <p><b>A lost reply.</b> All parts are claimed under one token, made from the claim's id. A repeated claim looks for records that are
 * held under the token first, on whichever node, and renews them. Nothing is counted twice, and no suspect is
 * forgotten: a record says which fence its attempt was counted under, and whether it was taken over.
 */
final class ExternalGrants<P> {
    private static final int FIRST_PART = 8;
    private static final int LARGEST_PART = 32;
    private static final int MOST_PARTS = 16;

    /** A claim ends with the message whose payload exceeds this. */
    private static final long MOST_BYTES = 2 << 20;

    private final EngineServices services;
    private final ExternalDelivering delivering;
    private final ChannelPauses pauses;
    private final Channel.Leased<P> channel;
    private final Operation<P, Void> operation;
    private final Policy policy;
    private final Tenant tenant;
    private final ClaimTerms terms;
    private final ResultLog log;

    private final List<ExternalMessage<P>> granted = new ArrayList<>();
    private final List<EndedRow> ended = new ArrayList<>();
    private final Set<Long> grantedLanes = new HashSet<>();
    private final Set<Long> stoppedLanes = new HashSet<>();
    private boolean suspectGranted;
    private long bytes;
    private int largest = 1;

    /** A record that is not granted, and what is written about it instead. */
    private record EndedRow(Row row, DeliveryResult result) {}

    ExternalGrants(
            EngineServices services, ChannelPauses pauses, Channel.Leased<P> channel, Tenant tenant, ClaimTerms terms) {
        this.services = services;
        this.delivering = new ExternalDelivering(services.deliveries());
        this.pauses = pauses;
        this.channel = channel;
        this.operation = channel.operation();
        this.policy = services.preparation().policy(operation.definition());
        this.tenant = tenant;
        this.terms = terms;
        this.log = new ResultLog(channel.name(), services.tools().watch());
    }

    /** The token of the message that is let through a pause, by which whoever ends it recognises it. */
    static long probeToken(Channel<?> channel, Tenant tenant) {
        return token(Identity.of(tenant, "probe", Key.of(channel.name())));
    }

    private static long token(Identity identity) {
        return Math.max(1, identity.id().lockNumber() & Long.MAX_VALUE);
    }

    private long token() {
        return terms.claimId() == null
                ? services.tools().random().nextLong(1, Long.MAX_VALUE)
                : token(Identity.of(tenant, "claim " + channel.name(), Key.of(terms.claimId())));
    }

    List<ExternalMessage<P>> claim() {
        long token = token();
        try {
            if (terms.claimId() != null && again(token)) {
                return granted;
            }
            claimParts(token);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            // With an id the claim is repeated, and finds all of it.
            if (terms.claimId() != null || granted.isEmpty()) {
                throw e;
            }
        }
        return granted;
    }

    /** Whether records are held that an earlier claim of the same id was granted and whose reply was lost. */
    private boolean again(long token) {
        List<Row> mine = ofTenant(queue().heldBy(channel.name(), token));
        if (mine.isEmpty()) {
            return false;
        }
        // All that was granted fits, in whatever order it is read now.
        int largestHeld = mine.stream().mapToInt(ExternalGrants::length).max().orElse(0);
        List<Row> held = withPayloads(mine, MOST_BYTES + largestHeld);
        stoppedLanes.addAll(LostClaims.headless(held));
        long since = services.tools().time().nanos();
        long asked = services.modes().storeMillis();
        List<Boolean> renewed = ExternalClaims.renew(
                services.store().ledger(),
                held.stream()
                        .map(row -> new Renewal(
                                row.id(), row.status().fence(), terms.lease().toMillis()))
                        .toList());
        for (int i = 0; i < held.size(); i++) {
            if (renewed.get(i)) {
                add(held.get(i), since, asked);
            } else {
                stopLane(held.get(i));
            }
        }
        write();
        return !granted.isEmpty();
    }

    /**
     * The rows with the payloads that were left out, in their order, until so many bytes are used up; the others as they are. Without those
     * that were taken over meanwhile: their lanes stop.
     */
    private List<Row> withPayloads(List<Row> rows, long most) {
        Set<RecordId> fitting = new LinkedHashSet<>();
        long left = most;
        for (Row row : rows) {
            if (row.withheld() > 0 && (left > 0 || granted.isEmpty() && fitting.isEmpty())) {
                fitting.add(row.id());
            }
            left -= length(row);
        }
        if (fitting.isEmpty()) {
            return rows;
        }
        FoundRecords found = services.store().ledger().find(fitting);
        List<Row> read = new ArrayList<>();
        for (Row row : rows) {
            if (!fitting.contains(row.id())) {
                read.add(row);
            } else {
                underSameFence(row, found).ifPresentOrElse(read::add, () -> stopLane(row));
            }
        }
        return read;
    }

    private static int length(Row row) {
        byte[] payload = row.payload();
        return payload == null ? row.withheld() : payload.length;
    }

    private static Optional<Row> underSameFence(Row held, FoundRecords found) {
        return Optional.ofNullable(found.get(held.id()))
                .filter(row -> row.status().fence() == held.status().fence());
    }

    private void claimParts(long token) {
        for (int part = 0; part < MOST_PARTS; part++) {
            Switchboard.Modes modes = services.modes().fresh();
            ChannelPauses.Claimable claimable = services.modes().mode(modes, tenant.name(), operation) == Mode.HALTED
                    ? ChannelPauses.Claimable.NONE
                    : pauses.claimable(modes, channel.name(), tenant.name());
            if (claimable == ChannelPauses.Claimable.NONE || !claimPart(modes, token, claimable)) {
                return;
            }
        }
    }

    /** Whether another part may bring more. */
    private boolean claimPart(Switchboard.Modes modes, long token, ChannelPauses.Claimable claimable) {
        boolean probe = claimable == ChannelPauses.Claimable.PROBE;
        long owner = probe ? probeToken(channel, tenant) : token;
        int records = probe ? 1 : nextPart();
        long since = services.tools().time().nanos();
        long asked = services.modes().storeMillis();
        Claimed claimed = queue().claim(request(modes, owner, records));
        if (claimed.modesChanged()) {
            services.modes().reload();
            return true;
        }
        if (!claimed.rows().isEmpty()) {
            services.modes().confirmed(modes.version(), since);
        }
        Set<RecordId> known = new HashSet<>();
        granted.forEach(message -> known.add(message.run().record()));
        List<Row> all = claimed.partial() ? queue().heldBy(channel.name(), owner) : claimed.rows();
        List<Row> rows = withPayloads(
                all.stream().filter(row -> !known.contains(row.id())).toList(), MOST_BYTES - bytes);
        for (Row row : rows) {
            add(row, since, asked);
        }
        write();
        return !probe && claimed.more() && granted.size() < terms.most() && bytes < MOST_BYTES;
    }

    /** As many as would fit if all were as large as the largest so far. */
    private int nextPart() {
        int open = terms.most() - granted.size();
        if (granted.isEmpty() && bytes == 0) {
            return Math.min(open, FIRST_PART);
        }
        long fitting = Math.max(1, (MOST_BYTES - bytes) / largest);
        return (int) Math.min(Math.min(open, LARGEST_PART), fitting);
    }

    private Claim request(Switchboard.Modes modes, long owner, int records) {
        boolean repeatable = channel.operation().isRepeatable(policy);
        return new Claim(
                channel.name(),
                modes.version(),
                new Reservation.Grant(
                        owner,
                        terms.lease().toMillis(),
                        repeatable,
                        policy.retry().maxAttempts()),
                new Claim.Amount(
                        records,
                        repeatable ? records : 1,
                        suspectGranted ? 0 : 1,
                        new Claim.Budget(policy.retry().budget()),
                        Claim.Amount.SMALL),
                Claim.Turns.only(tenant.name()),
                this::takenOver);
    }

    private @Nullable AuditEntry takenOver(Row row) {
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        return services.audits().events().outcome(EventType.OPERATION_TAKEN_OVER, about, Map.of());
    }

    private List<Row> ofTenant(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.header().tenant().equals(tenant.name()))
                .toList();
    }

    private void add(Row row, long since, long asked) {
        bytes += length(row);
        largest = Math.max(largest, length(row));
        boolean overdue = row.status().isTakenOver();
        if (overdue) {
            services.tools().watch().takenOver(channel.name(), tenant.name());
        }
        // Two lanes may share a number: then a run of one tenant's lane can have a message of another's in it.
        if (isStopped(row) || !row.header().tenant().equals(tenant.name()) || row.withheld() > 0) {
            stop(row, delivering.handedBack(operation, row));
            return;
        }
        ClaimedDelivery.ClaimedRow claimed = new ClaimedDelivery.ClaimedRow(row, since, overdue);
        if (PendingDeath.read(row.failure()) != null) {
            recordDeath(claimed);
            return;
        }
        try {
            admit(delivering.claimed(operation, claimed), asked);
        } catch (SemelException.Invalid e) {
            stop(row, UnreadablePayload.result(services.deliveries(), operation, claimed, e));
        }
    }

    /** No handler is called any more: its onDead handler runs here, with its dead letter. */
    private void recordDeath(ClaimedDelivery.ClaimedRow claimed) {
        Row row = claimed.row();
        if (isInGrantedLane(row)) {
            stop(row, delivering.handedBack(operation, row));
            return;
        }
        try (ClaimedDelivery<P, Void> delivery = dying(claimed)) {
            DeathDelivering.DeathResult death = new DeathDelivering(services.deaths()).run(delivery);
            DeliveryResult result = death.result();
            if (result != null && death.committed()) {
                log.written(row, result, new Moved.Applied());
            } else if (result != null) {
                ended.add(new EndedRow(row, result));
            }
            stopLane(row);
        }
    }

    private ClaimedDelivery<P, Void> dying(ClaimedDelivery.ClaimedRow claimed) {
        try {
            return ClaimedDelivery.of(services.deliveries(), operation, claimed);
        } catch (SemelException.Invalid e) {
            return ClaimedDelivery.unread(services.deliveries(), operation, claimed);
        }
    }

    private void admit(ClaimedDelivery<P, Void> delivery, long asked) {
        Row row = delivery.row();
        boolean suspect = delivery.isSuspect();
        if (suspect && (suspectGranted || isInGrantedLane(row))) {
            stop(row, delivery.handedBackToOthers());
            return;
        }
        StartDecision start = delivering.admit(delivery, terms.lease());
        if (start instanceof StartDecision.EndInstead instead) {
            stop(row, instead.result());
        } else if (start instanceof StartDecision.LostToAnother) {
            stopLane(row);
        } else {
            grant(delivery, asked);
            if (suspect) {
                suspectGranted = true;
                stopLane(row);
            }
        }
    }

    private void grant(ClaimedDelivery<P, Void> delivery, long asked) {
        Row row = delivery.row();
        Line.@Nullable Lane lane = lane(row);
        if (lane != null) {
            grantedLanes.add(lane.number());
        }
        granted.add(new ExternalMessage<>(
                new RunHandle(tenant, row.id(), row.status().fence()),
                row.header().key(),
                delivery.payload(),
                lane == null ? null : lane.key(),
                new GrantedAttempt(
                        delivery.number(),
                        Instant.ofEpochMilli(asked + terms.lease().toMillis())),
                row.header().correlationId()));
    }

    /** It is not granted, and unless it leaves its lane, nothing behind it is. */
    private void stop(Row row, DeliveryResult result) {
        ended.add(new EndedRow(row, result));
        if (!result.letsLaneGoOn()) {
            stopLane(row);
        }
    }

    private void stopLane(Row row) {
        Line.@Nullable Lane lane = lane(row);
        if (lane != null) {
            stoppedLanes.add(lane.number());
        }
    }

    private boolean isStopped(Row row) {
        Line.@Nullable Lane lane = lane(row);
        return lane != null && stoppedLanes.contains(lane.number());
    }

    private boolean isInGrantedLane(Row row) {
        Line.@Nullable Lane lane = lane(row);
        return lane != null && grantedLanes.contains(lane.number());
    }

    private static Line.@Nullable Lane lane(Row row) {
        return Objects.requireNonNull(row.line()).lane();
    }

    /** Writes what is not granted. What cannot be written is held until its lease expires. */
    private void write() {
        if (ended.isEmpty()) {
            return;
        }
        List<EndedRow> all = List.copyOf(ended);
        ended.clear();
        List<Moved> moved = services.ledger()
                .moveAll(all.stream().map(each -> each.result.move()).toList());
        for (int i = 0; i < all.size(); i++) {
            boolean written = !(moved.get(i) instanceof Moved.Locked || moved.get(i) instanceof Moved.NotStored);
            log.written(all.get(i).row, all.get(i).result, written ? moved.get(i) : null);
        }
    }

    private Queue queue() {
        return services.store().queue().orElseThrow();
    }
}
