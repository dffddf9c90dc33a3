package dev.semel.policy;

import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import dev.semel.SemelException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How long to wait before the next attempt. The backoff is capped first and jittered then, so bounded jitter may pass the cap
 * by its fraction; the result is never negative. Policies are bounded to ten years, so whole nanoseconds never overflow.
 */
public final class Delays {
    private static final int DRAW_BITS = 53;

    private Delays() {}

    /**
     * @param failedAttempt the number of the attempt that failed, from 1
     * @param previous the delay before that attempt, for decorrelated jitter; absent after the first
     * @param random the only source of chance
     */
    public static Duration before(
            Policy policy, int failedAttempt, @Nullable Duration previous, RandomGenerator random) {
        return before(policy, failedAttempt, previous, draw(random));
    }

    /** One random number for {@link #before(Policy, int, Duration, long)}: exact in JSON, so that the audit can keep it. */
    public static long draw(RandomGenerator random) {
        return random.nextLong() >>> (Long.SIZE - DRAW_BITS);
    }

    static boolean isDraw(long number) {
        return number >= 0 && number < 1L << DRAW_BITS;
    }

    /** The delay that follows from a stored {@link #draw}. */
    public static Duration before(Policy policy, int failedAttempt, @Nullable Duration previous, long draw) {
        Backoff backoff = policy.retry().backoff();
        Jitter jitter = policy.retry().jitter();
        if (jitter instanceof Jitter.Decorrelated && backoff instanceof Backoff.Exponential exponential) {
            checkAttempt(failedAttempt);
            return Duration.ofNanos(decorrelated(exponential, previous, draw));
        }
        long delay = capped(backoff, failedAttempt).toNanos();
        return Duration.ofNanos(jittered(delay, jitter, draw));
    }

    /** The delay after the failed attempt, without jitter. Never falls from one attempt to the next unless a list does. */
    public static Duration capped(Backoff backoff, int failedAttempt) {
        checkAttempt(failedAttempt);
        if (backoff instanceof Backoff.Listed listed) {
            return listed.delays().get(Math.min(failedAttempt, listed.delays().size()) - 1);
        } else if (backoff instanceof Backoff.Exponential exponential) {
            return grown(exponential, failedAttempt);
        }
        return Duration.ZERO;
    }

    private static Duration grown(Backoff.Exponential backoff, int failedAttempt) {
        double growth = StrictMath.pow(backoff.multiplier(), failedAttempt - 1.0);
        long cap = backoff.cap().toNanos();
        // the base is at least a nanosecond; infinity ends here too
        if (growth >= cap) {
            return backoff.cap();
        }
        // a double cannot hold the product exactly beyond 104 days
        var grown = new BigDecimal(growth)
                .multiply(BigDecimal.valueOf(backoff.base().toNanos()));
        return grown.compareTo(BigDecimal.valueOf(cap)) >= 0 ? backoff.cap() : Duration.ofNanos(grown.longValue());
    }

    private static long jittered(long delay, Jitter jitter, long draw) {
        if (jitter instanceof Jitter.Full) {
            return between(0, delay, draw);
        } else if (jitter instanceof Jitter.Equal) {
            return between(delay / 2, delay, draw);
        } else if (jitter instanceof Jitter.Bounded bounded) {
            long spread = Math.min(delay, (long) (delay * bounded.fraction()));
            return between(delay - spread, delay + spread, draw);
        }
        return delay;
    }

    private static long decorrelated(Backoff.Exponential backoff, @Nullable Duration previous, long draw) {
        long base = backoff.base().toNanos();
        long cap = backoff.cap().toNanos();
        // a Retry-After may have made the previous delay longer than any cap
        boolean beyondCap = previous != null && previous.compareTo(backoff.cap()) > 0;
        long last = previous == null ? base : beyondCap ? cap : previous.toNanos();
        return Math.min(cap, between(base, Math.max(base, 3 * last), draw));
    }

    /**
     * Both ends included. The draw is scaled and not reduced by a remainder or redrawn, so that every version of Java computes the
     * same delay of it.
     */
    private static long between(long low, long high, long draw) {
        long width = high - low + 1;
        // (width * draw) >> DRAW_BITS, in 128 bits
        return low + Math.multiplyHigh(width << 1, draw << (Long.SIZE - 1 - DRAW_BITS));
    }

    private static void checkAttempt(int failedAttempt) {
        if (failedAttempt < 1) {
            throw new SemelException.Invalid(
                    "Attempt " + failedAttempt + " cannot have failed: attempts count from 1.");
        }
    }
}
