package dev.semel.execution;

import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The modes as this node last read them. Grants are checked in the store against the version of this reading, so a stale one
 * grants nothing: it is read again. While anything but LIVE applies nothing is granted that would tell, so it is read anew
 * each time. Between a grant and its handler it is looked at once more, and then no reading is older than a second.
 */
public final class ModesView {
    private static final Logger LOG = LoggerFactory.getLogger(ModesView.class);
    /** No reading that a handler starts under is older. */
    public static final Duration FRESH = Duration.ofSeconds(1);

    private final Switchboard switchboard;
    private final Mode nodeMode;
    private final TimeSource time;
    private volatile Switchboard.Modes modes;
    private volatile long readAt;
    private volatile Clock clock;

    /** @param nodeMode this node's own mode, from its environment; the stricter one wins */
    public ModesView(Switchboard switchboard, Mode nodeMode, TimeSource time) {
        this.switchboard = switchboard;
        this.nodeMode = nodeMode;
        this.time = time;
        this.readAt = time.nanos();
        this.modes = switchboard.modes();
        this.clock = new Clock(modes.now(), readAt);
    }

    /** What the store's clock said, and this node's monotonic one at the same moment or just before. */
    private record Clock(long millis, long nanos) {}

    /**
     * The store's time. It comes with each reading of the modes and goes on by this node's monotonic clock, so that a wall
     * clock that is wrong here changes nothing. Needs no connection.
     */
    long storeMillis() {
        Clock last = clock;
        return last.millis + (time.nanos() - last.nanos) / 1_000_000;
    }

    /** What applies to a call, with the version to be checked at the grant. */
    record Reading(Mode mode, long version) {}

    /** Not inside a transaction: it may need a connection. */
    Reading of(String tenant, String operation) {
        Reading reading = read(modes, tenant, operation);
        if (reading.mode() != Mode.LIVE) {
            reload();
            reading = read(modes, tenant, operation);
        }
        return reading;
    }

    /** Whether a handler that was granted a while ago may still start. */
    boolean mayStart(String tenant, String operation) {
        return beforeStart(tenant, operation) == Mode.LIVE;
    }

    Mode beforeStart(Asked<?, ?> asked) {
        return beforeStart(asked.header().tenant(), asked.header().operation());
    }

    private Mode beforeStart(String tenant, String operation) {
        if (time.nanos() - readAt > FRESH.toNanos()) {
            try {
                reload();
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                // The last reading still counts: a store that is away cannot have been told anything newer.
                LOG.debug("The modes could not be read before a handler started.", e);
            }
        }
        return read(modes, tenant, operation).mode();
    }

    /** For a call inside a transaction, which must not need a connection of its own. */
    Reading in(Transactions.Tx tx, String tenant, String operation) {
        Reading cached = read(modes, tenant, operation);
        return cached.mode() == Mode.LIVE ? cached : read(tx.modes(), tenant, operation);
    }

    /** As {@link #in}, when the cached reading turned out to be old. */
    Reading afresh(Transactions.Tx tx, String tenant, String operation) {
        return read(tx.modes(), tenant, operation);
    }

    /** For a claim: no older than a second. Not inside a transaction. */
    public Switchboard.Modes fresh() {
        if (time.nanos() - readAt > FRESH.toNanos()) {
            reload();
        }
        return modes;
    }

    /** The mode of a tenant's operation in a reading, with this node's own. */
    public Mode mode(Switchboard.Modes reading, String tenant, String operation) {
        return read(reading, tenant, operation).mode();
    }

    /** The mode of an operation for all tenants. */
    public Mode mode(Switchboard.Modes reading, String operation) {
        return reading.ofAll(operation).stricter(nodeMode);
    }

    /** Reads the modes anew. */
    public void reload() {
        long asked = time.nanos();
        readAt = asked;
        Switchboard.Modes read = switchboard.modes();
        modes = read;
        clock = new Clock(read.now(), asked);
    }

    private Reading read(Switchboard.Modes now, String tenant, String operation) {
        return new Reading(now.of(tenant, operation).stricter(nodeMode), now.version());
    }
}
