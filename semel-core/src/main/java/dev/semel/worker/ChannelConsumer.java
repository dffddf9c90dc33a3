package dev.semel.worker;

import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.AtomicDelivering;
import dev.semel.execution.Delivery;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.EngineServices;
import dev.semel.execution.LeasedDelivering;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Line;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One operation as this node serves it: claims a batch, runs what it holds, hands the ends to the finisher. Passive: somebody
 * calls {@link #claim} from one thread, and {@link #runSome} from as many as may run at once.
 */
final class ChannelConsumer<P, R> {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelConsumer.class);
    private static final int LARGEST_CLAIM = 512;
    private static final int LONGEST_RUN = 256;

    /** So few at once beside the window, because they run one after the other: other nodes take their part. */
    static final int MOST_SUSPECTS = 8;

    private static final Duration BRIEF = Duration.ofMillis(1);
    private static final Duration BRIEF_TRANSACTION = Duration.ofMillis(10);
    private static final long WAITED_TOO_LONG = Duration.ofSeconds(1).toNanos();

    private final EngineServices services;
    private final Registry.Known<P, R> known;
    private final Operation<P, R> operation;
    private final Policy policy;
    private final Channel.Capacity capacity;
    private final Finisher finisher;
    private final ChannelPauses pauses;
    private final Guard guard;
    private final Window window;
    private final ClaimedBuffer<P, R> shelf;
    private final Pace pace = new Pace();
    private final SuspectPermit permit;
    private final SuspectPermit.Contender turns;
    private final AtomicInteger busy = new AtomicInteger();
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger suspects = new AtomicInteger();
    private final AtomicInteger heldInLanes = new AtomicInteger();
    private final AtomicLong nextRetry = new AtomicLong(Long.MAX_VALUE);
    private final Set<RecordId> overdue = new HashSet<>();
    private final LostClaims lost;
    private final EndLog log;

    /** Set before the claim looks, so that an end that is written meanwhile is not missed. */
    private volatile boolean waitsForEnds;

    private String lastTenant = "";

    ChannelConsumer(
            EngineServices services,
            Registry.Known<P, R> known,
            Finisher finisher,
            ChannelPauses pauses,
            SuspectPermit permit) {
        this.services = services;
        this.known = known;
        this.operation = known.operation();
        this.policy = services.tools().catalogue().get(operation.definition().policy());
        this.capacity = known.capacity();
        this.finisher = finisher;
        this.pauses = pauses;
        this.permit = permit;
        this.guard = new Guard(operation.name(), capacity, services.tools().time());
        this.window = new Window(capacity.concurrency());
        this.shelf = new ClaimedBuffer<>(capacity.perTenant());
        this.turns = permit.join(this::couldRunSuspect, policy.limits().attemptTimeout());
        this.lost = new LostClaims(policy.limits().lease());
        this.log = new EndLog(operation.name(), services.tools().watch());
    }

    String name() {
        return operation.name();
    }

    int concurrency() {
        return capacity.concurrency();
    }

    /** Units that could begin; none while the modes cannot be read. */
    int waiting() {
        if (services.modes().isAway()) {
            return 0;
        }
        return shelf.ready() + (shelf.hasReadySuspect() && turns.mayTake() ? 1 : 0);
    }

    /** How long a thread may be at it before another one is set to what waits. */
    Duration brief() {
        return known.atomic() == null ? BRIEF : BRIEF_TRANSACTION;
    }

    /** Whether it is time to claim more, so that it is there when it is needed. */
    boolean runsLow() {
        return shelf.size() * 2 < Math.max(capacity.concurrency(), window.size() / 2);
    }

    /** Records that this node holds: waiting, running, or not yet written. */
    int held() {
        return held.get();
    }

    /** What a claim came to. */
    enum Round {
        /** There may be more: claim again when there is room. */
        MORE,
        /** Nothing more is due at the moment. */
        NOTHING,
        /** No room: something must end first. */
        FULL
    }

    /** Whether a claim may bring more once ends are written: there was no room, or those in front of a lane were held. */
    boolean waitsForEnds() {
        return waitsForEnds;
    }

    /** Claims what there is room for. */
    Round claim() {
        handBackSuspectsThatWaitedTooLong();
        waitsForEnds = true;
        boolean lanesBefore = heldInLanes.get() > 0;
        Round round = claimed();
        waitsForEnds = round == Round.FULL || lanesBefore || heldInLanes.get() > 0;
        return round;
    }

    private Round claimed() {
        int open = window.size() - (held.get() - Math.min(MOST_SUSPECTS, suspects.get()));
        int room = open < leastRoom() ? 0 : guard.allowed(Math.min(LARGEST_CLAIM, open), held.get());
        if (room <= 0) {
            return Round.FULL;
        }
        Switchboard.Modes modes = services.modes().fresh();
        ChannelPauses.Leave leave = pauses.leave(modes, operation.name());
        if (services.modes().mode(modes, operation.name()) == Mode.HALTED || leave == ChannelPauses.Leave.NONE) {
            return Round.NOTHING;
        }
        overdue.clear();
        if (takesUpWhatWasLost()) {
            return Round.MORE;
        }
        boolean starving = shelf.size() + shelf.suspects() == 0;
        int wanted = leave == ChannelPauses.Leave.PROBE ? 1 : room;
        long asked = services.tools().time().nanos();
        Claimed claimed = claimed(asked(modes, wanted), asked);
        if (claimed.modesChanged()) {
            services.modes().reload();
            return Round.MORE;
        }
        if (!claimed.rows().isEmpty()) {
            services.modes().confirmed(modes.version(), asked);
        }
        lastTenant = claimed.last();
        guard.claimed(claimed.rows().size());
        shelve(claimed.rows(), asked, new HashSet<>());
        if (starving && claimed.rows().size() >= room) {
            window.starved();
        }
        return claimed.more() && leave == ChannelPauses.Leave.ALL ? Round.MORE : Round.NOTHING;
    }

    /** A claim costs a commit, however little it brings: while there is more at hand than handlers can begin, it waits. */
    private int leastRoom() {
        int size = window.size();
        return size > capacity.concurrency() ? size / 4 : 1;
    }

    private Claimed claimed(Claim claim, long asked) {
        try {
            Claimed claimed = queue().claim(claim);
            if (claimed.partial()) {
                lost.add(claim, asked, overdue, claimed.rows());
            }
            return claimed;
        } catch (RuntimeException | Error e) {
            lost.add(claim, asked, overdue, List.of());
            throw e;
        }
    }

    /** Puts on the shelf what an earlier claim was granted without this node's hearing of it. */
    private boolean takesUpWhatWasLost() {
        LostClaims.Found found = lost.find(queue(), services.tools().time().nanos());
        if (found == null) {
            return false;
        }
        LOG.info(
                "{}: {} records are taken up whose claim was never answered.",
                operation.name(),
                found.rows().size());
        overdue.addAll(found.overdue());
        guard.claimed(found.rows().size());
        shelve(found.rows(), found.asked(), new HashSet<>(found.headless()));
        return true;
    }

    private Queue queue() {
        return services.store().queue().orElseThrow();
    }

    private Claim asked(Switchboard.Modes modes, int room) {
        Set<String> except = new HashSet<>(shelf.crowded(Math.max(capacity.perTenant(), window.size() / 2)));
        except.removeIf(tenant -> capacity.perTenant() == capacity.concurrency());
        for (Switchboard.Setting setting : modes.settings()) {
            String tenant = setting.tenant();
            if (tenant != null && services.modes().mode(modes, tenant, operation.name()) == Mode.HALTED) {
                except.add(tenant);
            }
        }
        except.addAll(pauses.tenants(modes, operation.name()));
        return new Claim(
                operation.name(),
                modes.version(),
                new Reservation.Grant(
                        services.tools().random().nextLong(1, Long.MAX_VALUE),
                        policy.limits().lease().toMillis(),
                        repeatable(),
                        policy.retry().maxAttempts()),
                new Claim.Amount(
                        room,
                        repeatable() ? LONGEST_RUN : 1,
                        permit.isFreeSoon() ? Math.max(0, Math.min(room, MOST_SUSPECTS - suspects.get())) : 0,
                        new Claim.Budget(policy.retry().budget())),
                new Claim.Turns(lastTenant, except),
                this::takenOver);
    }

    /** Whether what another node left unfinished may be run again: always, if a transaction took it all back. */
    private boolean repeatable() {
        return known.mayRepeat(policy);
    }

    private @Nullable AuditEntry takenOver(Row row) {
        overdue.add(row.id());
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        return services.audits().events().outcome(EventType.OPERATION_TAKEN_OVER, about, Map.of());
    }

    /**
     * What could not be put there is let go: nobody would ever begin it, and its lease must not be renewed.
     *
     * @param stopped lanes of which nothing may begin now
     */
    private void shelve(List<Row> rows, long since, Set<Long> stopped) {
        List<Delivery<P, R>> loose = new ArrayList<>(rows.size());
        try {
            for (Row row : rows) {
                if (overdue.contains(row.id())) {
                    services.tools()
                            .watch()
                            .takenOver(operation.name(), row.header().tenant());
                }
                Delivery<P, R> delivery = opened(row, since, stopped);
                if (delivery == null) {
                    continue;
                }
                boolean goesOn = !loose.isEmpty()
                        && delivery.lane() != null
                        && delivery.lane().equals(loose.get(loose.size() - 1).lane());
                if (goesOn && delivery.isSuspect() != loose.get(0).isSuspect()) {
                    // A suspect runs alone: nothing else of its lane waits with it, nor it with others.
                    stopped.add(Objects.requireNonNull(delivery.lane()));
                }
                if (stopped.contains(delivery.lane())) {
                    finisher.add(delivery.handedBack(), moved -> delivery.close());
                    continue;
                }
                if (!goesOn) {
                    put(loose);
                }
                held.incrementAndGet();
                suspects.addAndGet(delivery.isSuspect() ? 1 : 0);
                heldInLanes.addAndGet(delivery.lane() == null ? 0 : 1);
                loose.add(delivery);
            }
            put(loose);
        } catch (RuntimeException | Error e) {
            loose.forEach(this::settled);
            throw e;
        }
    }

    private void put(List<Delivery<P, R>> run) {
        if (!run.isEmpty()) {
            String tenant = run.get(0).row().header().tenant();
            shelf.put(new ClaimedUnit<>(tenant, run, services.tools().time().nanos()));
            run.clear();
        }
    }

    /** A payload that the handler's type cannot read is left to nodes that can; the others flow, unless it stands before them in a lane. */
    private @Nullable Delivery<P, R> opened(Row row, long since, Set<Long> stopped) {
        Delivery.ClaimedRow claimed = new Delivery.ClaimedRow(row, since, overdue.contains(row.id()));
        try {
            return Delivery.of(services, operation, claimed);
        } catch (SemelException.Invalid e) {
            DeliveryResult unread = Delivery.unreadable(services, operation, claimed, e);
            Line.Lane lane = Objects.requireNonNull(row.line()).lane();
            if (lane != null && !unread.letsLaneGoOn()) {
                stopped.add(lane.number());
            }
            finisher.add(unread, moved -> log.written(row, unread, moved));
            return null;
        }
    }

    /** Runs what is next on this thread; says whether there was anything that may begin. */
    boolean runSome() {
        if (shelf.size() + shelf.suspects() == 0 || !services.modes().known()) {
            return false;
        }
        return runSuspect() || run(shelf.take(known.atomic() == null ? 1 : pace.together()), () -> true);
    }

    private boolean runSuspect() {
        SuspectPermit.SoleRun alone = shelf.hasReadySuspect() ? turns.tryTake() : null;
        if (alone == null) {
            return false;
        }
        try {
            return run(shelf.takeSuspect(), alone::goesOn);
        } finally {
            alone.giveBack();
        }
    }

    /** Whether a thread of this operation could begin with a suspect now. */
    private boolean couldRunSuspect() {
        return busy.get() < capacity.concurrency() && shelf.hasReadySuspect();
    }

    /** Whatever this node is busy with, others may be free: nobody can take over what is held and renewed here. */
    private void handBackSuspectsThatWaitedTooLong() {
        long before = services.tools().time().nanos() - policy.limits().lease().toNanos();
        for (ClaimedUnit<P, R> unit : shelf.takeSuspectsFrom(before)) {
            unit.deliveries().forEach(delivery -> end(delivery, delivery.handedBackToOthers()));
        }
    }

    /** @param leave asked before each record of a run that may not begin beside others */
    private boolean run(ClaimedBuffer.Hand<P, R> hand, BooleanSupplier leave) {
        List<ClaimedUnit<P, R>> units = hand.units();
        if (units.isEmpty()) {
            return false;
        }
        if (!units.get(0).isSuspect()
                && services.tools().time().nanos() - units.get(0).since() > WAITED_TOO_LONG) {
            window.crowded();
        }
        busy.incrementAndGet();
        try {
            if (known.atomic() == null) {
                units.forEach(unit -> runLeased(unit, leave));
            } else if (units.get(0).isSuspect()) {
                runAlone(units.get(0), leave);
            } else {
                runAtomic(units.stream()
                        .flatMap(unit -> unit.deliveries().stream())
                        .toList());
            }
        } catch (RuntimeException | Error e) {
            units.forEach(this::letGo);
            throw e;
        } finally {
            busy.decrementAndGet();
            shelf.ended(hand);
        }
        return true;
    }

    /** What was left by nobody is not renewed any more: it comes again once its lease is over. */
    private void letGo(ClaimedUnit<P, R> unit) {
        for (Delivery<P, R> delivery : unit.deliveries()) {
            if (!delivery.left()) {
                settled(delivery);
            }
        }
    }

    /** One transaction for each, begun when the end of the one before is written. */
    private void runAlone(ClaimedUnit<P, R> unit, BooleanSupplier leave) {
        boolean goesOn = true;
        for (Delivery<P, R> delivery : unit.deliveries()) {
            if (goesOn && leave.getAsBoolean()) {
                goesOn = runAtomic(List.of(delivery)) || delivery.lane() == null;
            } else {
                goesOn = false;
                end(delivery, delivery.handedBack());
            }
        }
    }

    /** @return whether all of them are committed */
    private boolean runAtomic(List<Delivery<P, R>> deliveries) {
        List<Delivery<P, R>> allowed = new ArrayList<>();
        List<Delivery<P, R>> refused = new ArrayList<>();
        Set<Long> stopped = new HashSet<>();
        for (Delivery<P, R> delivery : deliveries) {
            if (!stopped.contains(delivery.lane()) && guard.mayCall()) {
                allowed.add(delivery);
            } else {
                if (delivery.lane() != null) {
                    stopped.add(delivery.lane());
                }
                refused.add(delivery);
            }
        }
        int untold = allowed.size();
        try {
            refused.forEach(delivery -> end(delivery, delivery.handedBack()));
            AtomicDelivering.Outcome<P, R> outcome = new AtomicDelivering(services).run(allowed, handler());
            for (Delivery<P, R> delivery : allowed) {
                untold--;
                ended(delivery, outcome);
            }
            return outcome.committed().containsAll(deliveries);
        } finally {
            guard.notTold(untold);
        }
    }

    private void ended(Delivery<P, R> delivery, AtomicDelivering.Outcome<P, R> outcome) {
        DeliveryResult ending = outcome.left().get(delivery);
        if (ending != null) {
            guard.ended(ending);
            end(delivery, ending);
        } else if (outcome.committed().contains(delivery)) {
            guard.succeeded();
            pauses.worked(operation.name());
            settled(delivery);
        } else {
            guard.ended(null);
            settled(delivery);
        }
    }

    private AtomicHandler<P, R> handler() {
        AtomicHandler<P, R> handler = Objects.requireNonNull(known.atomic());
        return (payload, context) -> {
            long began = services.tools().time().nanos();
            try {
                return handler.run(payload, context);
            } finally {
                pace.took(services.tools().time().nanos() - began);
            }
        };
    }

    private void runLeased(ClaimedUnit<P, R> unit, BooleanSupplier leave) {
        boolean goesOn = true;
        for (Delivery<P, R> delivery : unit.deliveries()) {
            if (!goesOn || !leave.getAsBoolean() || !guard.mayCall()) {
                goesOn = goesOn && delivery.lane() == null;
                end(delivery, delivery.handedBack());
                continue;
            }
            DeliveryResult ending = called(delivery);
            goesOn = ending != null && ending.letsLaneGoOn();
            if (ending == null) {
                settled(delivery);
            } else {
                end(delivery, ending);
            }
        }
    }

    private @Nullable DeliveryResult called(Delivery<P, R> delivery) {
        int untold = 1;
        try {
            DeliveryResult ending =
                    new LeasedDelivering(services).run(delivery, Objects.requireNonNull(known.leased()));
            untold = 0;
            guard.ended(ending);
            return ending;
        } finally {
            guard.notTold(untold);
        }
    }

    /** When the next retry that this node knows of is due, by its monotonic clock; asked once for each look. */
    long takeNextRetry() {
        return nextRetry.getAndSet(Long.MAX_VALUE);
    }

    private void end(Delivery<P, R> delivery, DeliveryResult ending) {
        switch (ending.kind()) {
            case RETRIED -> {
                long delay =
                        Duration.ofMillis(ending.move().change().delayMillis()).toNanos();
                nextRetry.accumulateAndGet(services.tools().time().nanos() + delay, Math::min);
            }
            case REFUSED -> pauses.refused(operation.name(), Objects.requireNonNull(ending.failure()));
            case DONE -> pauses.worked(operation.name());
            default -> {}
        }
        if (delivery.isCounted()) {
            // If this node dies before it is written, the attempt is spent: nothing that may kill it begins meanwhile.
            finisher.writeNow(ending, moved -> written(delivery, ending, moved));
        } else {
            finisher.add(ending, moved -> written(delivery, ending, moved));
        }
        delivery.leave();
    }

    private void written(Delivery<P, R> delivery, DeliveryResult ending, @Nullable Moved moved) {
        if (moved instanceof Moved.NotStored refused) {
            DeliveryResult instead = delivery.notStored(ending, refused.why());
            finisher.add(instead, then -> settled(delivery, instead, then instanceof Moved.NotStored ? null : then));
        } else {
            settled(delivery, ending, moved);
        }
    }

    private void settled(Delivery<P, R> delivery, DeliveryResult ending, @Nullable Moved moved) {
        if (moved == null) {
            window.failed();
        } else if (moved instanceof Moved.Refused) {
            LOG.debug(
                    "{} {} was lost to another node.",
                    operation.name(),
                    delivery.row().id());
        }
        try {
            log.written(delivery.row(), ending, moved);
        } finally {
            settled(delivery);
        }
    }

    private void settled(Delivery<P, R> delivery) {
        delivery.leave();
        delivery.close();
        held.decrementAndGet();
        suspects.addAndGet(delivery.isSuspect() ? -1 : 0);
        heldInLanes.addAndGet(delivery.lane() == null ? 0 : -1);
        shelf.settled(delivery.row().header().tenant(), delivery.isSuspect());
    }

    /** The store could not be asked. */
    void failed() {
        window.failed();
    }

    /** Gives back what has not begun. */
    void handBack() {
        for (ClaimedUnit<P, R> unit : shelf.takeAll()) {
            unit.deliveries().forEach(delivery -> end(delivery, delivery.handedBack()));
        }
    }
}
