package dev.semel.execution;

import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The modes as this node last read them. Grants are checked in the store against the version of this reading, so a
 * stale one grants nothing: it is read again. While a mode other than LIVE applies, no grant confirms the version, so
 * the modes are read each time.
 *
 * <p>Between a grant and its handler the modes are checked again, by a reading no older than {@link #FRESH}: an
 * operator who sets a mode and waits that long knows that nothing more starts. So a node that cannot read the modes
 * starts nothing. The age counts from before the store was asked, and a grant under a version shows that the version
 * was still in force.
 */
public final class CurrentModes {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentModes.class);
    /** No reading that a handler starts under is older. */
    public static final Duration FRESH = Duration.ofSeconds(1);

    /** After a read that failed the store is left alone for so long. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** A read may take long and be old when it arrives. */
    private static final int READS = 2;

    private final Switchboard switchboard;
    private final Mode nodeMode;
    private final TimeSource time;
    private final AtomicLong reads = new AtomicLong();
    private final AtomicReference<View> view;
    private volatile long failedAt;
    private volatile Clock clock;

    /**
     * @param asked when the store was asked for it, or last showed that it is still so
     * @param readsBegun how many reads had been begun when its answer came
     */
    private record View(Switchboard.Modes modes, long asked, long readsBegun) {
        /** Of two readings that may have overtaken each other, the one with the newer version. */
        View or(View other, long begun) {
            boolean newer = other.modes.version() >= modes.version();
            // A read that was begun after this answer came sees at least as much, unless the store was restored.
            return newer || begun > readsBegun
                    ? new View(other.modes, newer ? Math.max(asked, other.asked) : other.asked, other.readsBegun)
                    : this;
        }
    }

    /** @param nodeMode this node's own mode, from its environment; the stricter one wins */
    public CurrentModes(Switchboard switchboard, Mode nodeMode, TimeSource time) {
        this.switchboard = switchboard;
        this.nodeMode = nodeMode;
        this.time = time;
        long asked = time.nanos();
        Switchboard.Modes read = switchboard.modes();
        this.failedAt = asked - PAUSE.toNanos();
        this.view = new AtomicReference<>(new View(read, asked, 0));
        this.clock = new Clock(read.now(), time.nanos());
    }

    /** A reading of the store's clock, and of this node's monotonic clock at the same moment or just before. */
    private record Clock(long millis, long nanos) {}

    /**
     * The store's time. It comes with each reading of the modes and advances by this node's monotonic clock, so a
     * wrong wall clock changes nothing. Needs no connection.
     */
    public long storeMillis() {
        Clock last = clock;
        return last.millis + (time.nanos() - last.nanos) / 1_000_000;
    }

    /** The mode of a call, with the version to be checked at the grant. */
    record Reading(Mode mode, long version) {}

    /** The modes that apply to a call. Not inside a transaction: it may need a connection. */
    Reading of(PreparedCall<?, ?> prepared) {
        if (prepared.call().deadline() != null) {
            // Brings the store's clock, by which the deadline is judged.
            fresh();
        }
        return of(prepared.header().tenant(), prepared.operation());
    }

    Reading of(String tenant, Operation<?, ?> operation) {
        Reading reading = read(modes(), tenant, operation);
        if (reading.mode() != Mode.LIVE) {
            reload();
            reading = read(modes(), tenant, operation);
        }
        return reading;
    }

    /** Time to the deadline, of the call or of its policy, by the store's clock; absent when there is none. */
    @Nullable
    Duration remaining(Attempted attempted) {
        Instant byCall = attempted.deadline();
        Duration remaining = byCall == null ? null : Duration.ofMillis(byCall.toEpochMilli() - storeMillis());
        Duration byPolicy = attempted.policy().limits().deadline();
        if (byPolicy != null) {
            Duration left = byPolicy.minusNanos(time.nanos() - attempted.startedNanos());
            remaining = remaining == null || left.compareTo(remaining) < 0 ? left : remaining;
        }
        return remaining;
    }

    /** Whether no attempt of a call may start any more. */
    boolean isLate(Attempted attempted) {
        Duration left = remaining(attempted);
        return left != null && (left.isNegative() || left.isZero());
    }

    /** The moment at which a grant is asked for, to be handed to {@link #confirmed}. */
    long nanos() {
        return time.nanos();
    }

    private Switchboard.Modes modes() {
        return view.get().modes();
    }

    /** The mode under which a handler that was granted a while ago would start; nothing when the modes cannot be read. */
    @Nullable
    Mode beforeStart(PreparedCall<?, ?> asked) {
        return beforeStart(asked.header().tenant(), asked.operation());
    }

    @Nullable
    Mode beforeStart(String tenant, Operation<?, ?> operation) {
        return known() ? mode(modes(), tenant, operation) : null;
    }

    /**
     * As {@link #beforeStart}, for work that needs no store and is declared by its name alone: while the modes cannot be read, those
     * that were read last apply.
     */
    Mode newest(String tenant, String work) {
        known();
        return modes().of(tenant, work).stricter(nodeMode);
    }

    /** As {@link #beforeStart}, inside a transaction. */
    Mode beforeStart(Transactions.Tx tx, PreparedCall<?, ?> asked) {
        Switchboard.Modes known = isFresh() ? modes() : readIn(tx);
        return read(known, asked).mode();
    }

    /** Whether the modes are still those of a version, inside a transaction that began under it. */
    boolean isStill(Transactions.Tx tx, long version) {
        return (isFresh() ? modes() : readIn(tx)).version() == version;
    }

    private Switchboard.Modes readIn(Transactions.Tx tx) {
        long begun = reads.incrementAndGet();
        long asked = time.nanos();
        return keepNewer(tx.modes(), asked, begun);
    }

    /** Whether a handler may start at all: the modes are known and not older than a handler may start under. */
    public boolean known() {
        for (int read = 0; read < READS && !isFresh(); read++) {
            if (isAway()) {
                return false;
            }
            try {
                reload();
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                failedAt = time.nanos();
                LOG.debug("could not read the modes; no handler is started until they can be read again", e);
                return false;
            }
        }
        return isFresh();
    }

    /** Whether the modes could not be read a moment ago. */
    public boolean isAway() {
        return !isFresh() && time.nanos() - failedAt < PAUSE.toNanos();
    }

    private boolean isFresh() {
        return time.nanos() - view.get().asked() <= FRESH.toNanos();
    }

    /** The store granted something under this version, and was asked for it then. */
    public void confirmed(long version, long asked) {
        View seen = view.get();
        if (seen.modes().version() == version && asked - seen.asked() > 0) {
            view.compareAndSet(seen, new View(seen.modes(), asked, seen.readsBegun()));
        }
    }

    /** For a call inside a transaction, which must not need a connection of its own. */
    Reading in(Transactions.Tx tx, PreparedCall<?, ?> asked) {
        Reading cached = read(modes(), asked);
        return cached.mode() == Mode.LIVE ? cached : read(tx.modes(), asked);
    }

    /** As {@link #in}, when the cached reading turned out to be old. */
    Reading afresh(Transactions.Tx tx, PreparedCall<?, ?> asked) {
        return read(tx.modes(), asked);
    }

    /** For a claim: no older than a second. Not inside a transaction. */
    public Switchboard.Modes fresh() {
        if (!isFresh()) {
            reload();
        }
        return modes();
    }

    /** The mode of a tenant's operation in a reading, with this node's own. */
    public Mode mode(Switchboard.Modes reading, String tenant, Operation<?, ?> operation) {
        return reading.of(tenant, operation.name(), operation.definition().labels())
                .stricter(nodeMode);
    }

    /** The mode of an operation for all tenants. */
    public Mode mode(Switchboard.Modes reading, Operation<?, ?> operation) {
        return reading.ofAll(operation.name(), operation.definition().labels()).stricter(nodeMode);
    }

    /** Reads the modes again. */
    public void reload() {
        long begun = reads.incrementAndGet();
        long asked = time.nanos();
        Switchboard.Modes read = switchboard.modes();
        // Paired with the time after the answer: a wait for a connection must not put the store's time ahead.
        clock = new Clock(read.now(), time.nanos());
        keepNewer(read, asked, begun);
    }

    /** Readings of two threads may arrive in either order: the newer version stays. */
    private Switchboard.Modes keepNewer(Switchboard.Modes modes, long asked, long begun) {
        View mine = new View(modes, asked, reads.get());
        return view.updateAndGet(old -> old.or(mine, begun)).modes();
    }

    private Reading read(Switchboard.Modes now, PreparedCall<?, ?> asked) {
        return read(now, asked.header().tenant(), asked.operation());
    }

    private Reading read(Switchboard.Modes now, String tenant, Operation<?, ?> operation) {
        return new Reading(mode(now, tenant, operation), now.version());
    }
}
