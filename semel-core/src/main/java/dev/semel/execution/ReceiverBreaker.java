package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.time.MonotonicClock;
import dev.semel.time.TimeSource;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stops this node from calling a receiver that keeps failing: for the calls of an operation, the messages of a channel and the
 * requests of a route. Works by the engine's clock. Thread-safe.
 */
public final class ReceiverBreaker {
    /** Lets everything through. */
    public static final ReceiverBreaker NONE = new ReceiverBreaker();

    /** Failures that say something about the receiver, and not about the message or the call. */
    private static final Set<Failure.Category> RECEIVER = EnumSet.of(
            Failure.Category.NETWORK,
            Failure.Category.TIMEOUT,
            Failure.Category.UPSTREAM_ERROR,
            Failure.Category.RATE_LIMITED,
            Failure.Category.UNKNOWN);

    private static final int PROBES = 5;

    /** While the probes of a half-open breaker run, a caller is told to come back after this. */
    private static final Duration PROBING = Duration.ofSeconds(1);

    private static final long JUST_AFTER = 1_000_000;

    /** If nothing was heard of the probes of a half-open breaker for so long, they hang: others are let through after a pause. */
    private static final Duration PROBES_HANG = Duration.ofMinutes(10);

    private final @Nullable CircuitBreaker breaker;
    private final int probes;
    private final long pauseNanos;
    private final TimeSource time;
    /** Direct calls that hold a permission. Channels, which count what they hold, do not know of them. */
    private final AtomicInteger directCalls = new AtomicInteger();

    private volatile long openUntil;
    private volatile long lastHeard;
    private volatile CircuitBreaker.State seen = CircuitBreaker.State.CLOSED;
    private volatile long changedAt;

    private ReceiverBreaker() {
        this.breaker = null;
        this.probes = 0;
        this.pauseNanos = 0;
        this.time = TimeSource.system();
    }

    /** @param name for logs of the library */
    public ReceiverBreaker(String name, Channel.Breaker settings, TimeSource time) {
        this.breaker = CircuitBreaker.of(name, config(settings, time));
        this.probes = probes(settings);
        this.pauseNanos = settings.pause().toNanos();
        this.time = time;
        this.openUntil = time.nanos();
        this.lastHeard = openUntil;
        this.changedAt = time.millis();
    }

    private static CircuitBreakerConfig config(Channel.Breaker settings, TimeSource time) {
        return CircuitBreakerConfig.custom()
                .failureRateThreshold(settings.failurePercent())
                .slidingWindowSize(settings.calls())
                .minimumNumberOfCalls(settings.calls())
                .waitDurationInOpenState(settings.pause())
                .permittedNumberOfCallsInHalfOpenState(probes(settings))
                .clock(new MonotonicClock(time))
                .build();
    }

    private static int probes(Channel.Breaker settings) {
        return Math.min(PROBES, settings.calls());
    }

    /**
     * How many of so many may be claimed now.
     *
     * @param held records that this node has claimed and not written the result of. While the breaker is half open,
     *     no more is claimed than it still lets through: rejected records would be handed back and claimed again at
     *     once.
     */
    public int claimable(int wanted, int held) {
        if (breaker == null) {
            return wanted;
        }
        return switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> tryCall() ? released(1) : 0;
            case HALF_OPEN -> probesLeft(breaker, wanted, held);
            default -> wanted;
        };
    }

    /** If nothing is held, no probe runs: when none may begin either, permissions were lost, and the breaker opens again. */
    private int probesLeft(CircuitBreaker halfOpen, int wanted, int held) {
        if (held == 0 && directCalls.get() == 0) {
            if (halfOpen.tryAcquirePermission()) {
                halfOpen.releasePermission();
            } else if (directCalls.get() == 0) {
                openAgain(halfOpen);
                return 0;
            }
        }
        int running = held + directCalls.get();
        return Math.min(wanted, Math.max(0, probes - halfOpen.getMetrics().getNumberOfBufferedCalls() - running));
    }

    private void openAgain(CircuitBreaker halfOpen) {
        if (halfOpen.getState() == CircuitBreaker.State.HALF_OPEN) {
            halfOpen.transitionToOpenState();
            noteIfOpened(halfOpen);
        }
    }

    private int released(int permission) {
        release(1);
        return permission;
    }

    /**
     * Whether the handler may be called now. If so, one of {@link #succeeded}, {@link #failed}, {@link #count} and {@link #release}
     * must follow in any case: a half-open breaker waits for it.
     */
    public boolean tryCall() {
        if (breaker == null) {
            return true;
        }
        boolean allowed = breaker.tryAcquirePermission();
        noteChange(breaker);
        if (allowed) {
            lastHeard = time.nanos();
            return true;
        }
        if (breaker.getState() == CircuitBreaker.State.HALF_OPEN
                && time.nanos() - lastHeard > Math.max(pauseNanos, PROBES_HANG.toNanos())) {
            openAgain(breaker);
        }
        return false;
    }

    /** As {@link #tryCall}, for a direct call. If so, {@link #directCallEnded} must follow after one of those. */
    boolean tryDirectCall() {
        if (breaker == null) {
            return true;
        }
        directCalls.incrementAndGet();
        boolean allowed = false;
        try {
            allowed = tryCall();
            return allowed;
        } finally {
            if (!allowed) {
                directCalls.decrementAndGet();
            }
        }
    }

    void directCallEnded() {
        if (breaker != null) {
            directCalls.decrementAndGet();
        }
    }

    /** The call succeeded. */
    public void succeeded() {
        if (breaker != null) {
            lastHeard = time.nanos();
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
            noteIfOpened(breaker);
        }
    }

    /** The receiver failed. */
    public void failed(Failure failure) {
        if (breaker != null) {
            lastHeard = time.nanos();
            breaker.onError(0, TimeUnit.NANOSECONDS, failure.asException());
            noteIfOpened(breaker);
        }
    }

    /** The library does not say how long it stays open: until its pause is over, and not just then. */
    private void noteIfOpened(CircuitBreaker changed) {
        noteChange(changed);
        long now = time.nanos();
        if (changed.getState() == CircuitBreaker.State.OPEN && openUntil - now <= 0) {
            openUntil = now + pauseNanos + JUST_AFTER;
        }
    }

    /** For people: when it came to stand as it does. Two threads may both write the time of one change. */
    private void noteChange(CircuitBreaker changed) {
        CircuitBreaker.State now = changed.getState();
        if (now != seen) {
            seen = now;
            changedAt = time.millis();
        }
    }

    /** A call failed: counts against the receiver if the failure says something about it. */
    public void count(Failure failure) {
        if (RECEIVER.contains(failure.category())) {
            failed(failure);
        } else {
            release(1);
        }
    }

    /** So many calls said nothing about the receiver. */
    public void release(int calls) {
        for (int i = 0; i < calls && breaker != null; i++) {
            breaker.releasePermission();
        }
    }

    /** Whether there is one at all. */
    boolean isNone() {
        return breaker == null;
    }

    /** How it stands: for people, who may read the time a moment before or after the phase. */
    BreakerStanding standing() {
        if (breaker == null) {
            throw new IllegalStateException("There is no breaker.");
        }
        BreakerStanding.Phase phase = switch (breaker.getState()) {
            case OPEN, FORCED_OPEN -> BreakerStanding.Phase.OPEN;
            case HALF_OPEN -> BreakerStanding.Phase.HALF_OPEN;
            default -> BreakerStanding.Phase.CLOSED;
        };
        return new BreakerStanding(phase, Instant.ofEpochMilli(changedAt));
    }

    /** Whether all calls are let through. */
    public boolean isClosed() {
        return breaker == null || breaker.getState() == CircuitBreaker.State.CLOSED;
    }

    /** When a caller that was not let through should come back: never at once. */
    Duration comeBackIn() {
        long left = openUntil - time.nanos();
        return left > 0 ? Duration.ofNanos(left) : PROBING;
    }

    /** The permission of one attempt, not yet asked for. */
    BreakerPass pass() {
        return new BreakerPass(this);
    }
}
