package dev.semel.testkit.fault;

import dev.semel.key.RecordId;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Decides at each call of a {@link FaultyStore} what goes wrong. It may also block, to pause the caller there, or throw, to
 * end it there as a crash would.
 */
@FunctionalInterface
public interface Faults {
    /** Asked before the call. */
    Fault at(StoreCall call);

    /** Told after the call was carried out and before its caller hears of it. */
    default void done(StoreCall call) {}

    /**
     * Whether the store refuses the data of this item: of a reservation, a message, or a result that completes a record. The others
     * of its batch are not affected; a transaction is rolled back.
     */
    default boolean refuses(StoreCall call, RecordId record) {
        return false;
    }

    /**
     * Whether the record is locked by somebody's transaction that does not end, as a paused owner's does: a reservation or a move
     * of it is answered as locked and writes nothing, beside others of its batch; a renewal of it throws.
     */
    default boolean locks(StoreCall call, RecordId record) {
        return false;
    }

    /** Nothing goes wrong. */
    static Faults none() {
        return call -> Fault.NONE;
    }

    /** The n-th call of this kind, counted from 1, goes wrong, and no other. */
    static Faults nth(int n, StoreCall which, Fault fault) {
        AtomicInteger count = new AtomicInteger();
        return call -> call == which && count.incrementAndGet() == n ? fault : Fault.NONE;
    }

    /** Each call goes wrong with this probability, in any of the ways there are. The same seed, the same faults. */
    static Faults random(RandomGenerator random, double probability) {
        Fault[] all = {Fault.FAIL_BEFORE, Fault.FAIL_AFTER, Fault.LOSE_REPLY, Fault.UNKNOWN};
        return call -> {
            synchronized (random) {
                return random.nextDouble() < probability ? all[random.nextInt(all.length)] : Fault.NONE;
            }
        };
    }

    /** How a call goes wrong. */
    enum Fault {
        /** Not at all. */
        NONE,
        /** It is not carried out; the store is said to be unavailable. */
        FAIL_BEFORE,
        /**
         * It is carried out, and the store is said to be unavailable. A transaction is rolled back instead: there the word
         * means that nothing was committed.
         */
        FAIL_AFTER,
        /** It is carried out, and its outcome is said to be unknown. */
        LOSE_REPLY,
        /** It is not carried out, and its outcome is said to be unknown. */
        UNKNOWN
    }
}
