package dev.semel.testkit.sim;

import dev.semel.key.RecordId;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** How bad a run is: each seed has its own mixture of crashes, pauses and faults, and some seeds have none of a kind. */
final class FaultRates {
    private static final List<Fault> COMMIT = List.of(Fault.FAIL_BEFORE, Fault.LOSE_REPLY, Fault.UNKNOWN);
    private static final List<Fault> WRITE =
            List.of(Fault.FAIL_BEFORE, Fault.FAIL_AFTER, Fault.LOSE_REPLY, Fault.UNKNOWN);

    private final Random random;

    private final int crashes;
    private final int pauses;
    private final int faults;
    private final int locks;
    private final long lease;
    private final Map<RecordId, Long> lockedUntil = new HashMap<>();
    private final long refusals;
    private boolean calm;
    private boolean failedPermits;

    FaultRates(Random random, Duration lease) {
        this.random = random;
        this.crashes = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(12);
        this.pauses = random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(60);
        this.faults = random.nextInt(4) == 0 ? 0 : 10 + random.nextInt(100);
        this.locks = random.nextInt(3) == 0 ? 1 + random.nextInt(40) : 0;
        this.lease = lease.toNanos();
        // Nothing is drawn for it, so that the rest of a run's weather does not depend on it.
        this.refusals = 31L * faults + 7L * pauses + crashes;
    }

    /** From now on nothing goes wrong. */
    void clear() {
        calm = true;
    }

    /**
     * Whether the store refuses the data of a record at this call. Data that is rejected once is always rejected; as
     * often per thousand as store calls fail.
     */
    boolean refuses(StoreCall call, RecordId record) {
        long seed = 31L * (31L * record.hashCode() + call.ordinal()) + refusals;
        return !calm && new Random(seed).nextInt(1_000) < faults;
    }

    /** Of a thousand calls. */
    private boolean strikes(int often) {
        return !calm && often > 0 && random.nextInt(1_000) < often;
    }

    boolean crash() {
        return strikes(crashes);
    }

    /** Nanoseconds to lose here; often none, sometimes more than three leases. */
    long pause() {
        if (!strikes(pauses)) {
            return 0;
        }
        return random.nextInt(3) == 0 ? lease * (1 + random.nextInt(12)) / 4 : random.nextLong(1, lease / 4);
    }

    /**
     * Nanoseconds between a read and the action that follows, up to half a lease; in seeds with pauses, every third
     * time.
     */
    long lingering() {
        return !calm && pauses > 0 && random.nextInt(3) == 0 ? random.nextLong(1, lease / 2) : 0;
    }

    /** Whether somebody who is paused has the record locked; for how long, only its owner knows. */
    boolean locks(RecordId record, long now) {
        boolean locked = !calm && lockedUntil.getOrDefault(record, now) > now;
        if (!locked && strikes(locks)) {
            lockedUntil.put(record, now + random.nextLong(1, 2 * lease));
            return true;
        }
        return locked;
    }

    /** Whether the store could ever not be asked for permits. */
    boolean hasFailedPermits() {
        return failedPermits;
    }

    /** Whether a pause stops the whole node. */
    boolean wholeNode() {
        return random.nextInt(3) > 0;
    }

    Fault fault(StoreCall call) {
        if (!strikes(faults)) {
            return Fault.NONE;
        }
        failedPermits |= call == StoreCall.TAKE_PERMITS;
        List<Fault> possible = switch (call) {
            case COMMIT -> COMMIT;
            case RESERVE,
                    MOVE,
                    RENEW,
                    PURGE,
                    AUDIT_APPEND,
                    AUDIT_SEAL,
                    SET_MODE,
                    PAUSE,
                    RESUME,
                    ADOPT,
                    ENQUEUE,
                    CLAIM,
                    TAKE_PERMITS,
                    WRITE_ACTIVITY -> WRITE;
            case FIND,
                    STEPS,
                    OVERDUE,
                    AUDIT_READ,
                    MODES,
                    EPOCH,
                    HELD_BY,
                    HEAD,
                    UNKNOWN_HEADS,
                    BACKLOG,
                    OPERATIONS,
                    LOOK_UP,
                    WRITE,
                    TX_MOVE,
                    TX_ENQUEUE -> List.of(Fault.FAIL_BEFORE);
        };
        return possible.get(random.nextInt(possible.size()));
    }
}
