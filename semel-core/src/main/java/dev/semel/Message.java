package dev.semel;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to a {@link Channel}.
 *
 * @param <P> the channel's payload
 * @param tenant whose work it is
 * @param key what makes a second message a duplicate of this one
 * @param payload what to do; part of the fingerprint, so the same key with another payload is a conflict
 * @param origin who sent it, and under which correlation id
 * @param when from when on it may be handled, and until when
 */
public record Message<P>(Tenant tenant, Key key, @Nullable P payload, Call.Origin origin, When when) {

    /**
     * A message that may be handled at once, without origin and deadline.
     *
     * @param payload null for none
     */
    public static <P> Message<P> of(Tenant tenant, Key key, @Nullable P payload) {
        return new Message<>(tenant, key, payload, Call.Origin.UNSTATED, When.NOW);
    }

    /** Says who sent it, in place of what was said before. */
    public Message<P> withOrigin(Call.Origin value) {
        return new Message<>(tenant, key, payload, value, when);
    }

    /** Carried through deliveries, audit and logs; one is made for a message that has none. */
    public Message<P> withCorrelationId(String correlationId) {
        return withOrigin(origin.withCorrelationId(correlationId));
    }

    /** Not before so long from the moment it is stored. In a lane it takes its place when it is due, not before. */
    public Message<P> withDelay(Duration delay) {
        return new Message<>(tenant, key, payload, origin, new When(delay, null, when.deadline));
    }

    /** Not before this moment. */
    public Message<P> withStart(Instant start) {
        return new Message<>(tenant, key, payload, origin, new When(Duration.ZERO, start, when.deadline));
    }

    /** No attempt starts after it: the message becomes a dead letter then. */
    public Message<P> withDeadline(Instant deadline) {
        return new Message<>(tenant, key, payload, origin, new When(when.delay, when.start, deadline));
    }

    /**
     * @param delay from the moment it is stored
     * @param start a moment, in place of a delay
     * @param deadline none when absent
     */
    public record When(
            Duration delay,
            @Nullable Instant start,
            @Nullable Instant deadline) {
        public static final When NOW = new When(Duration.ZERO, null, null);

        public When {
            if (delay.isNegative()) {
                throw new SemelException.Invalid(
                        "The delay of a message is negative (" + delay + "). Use zero to have it handled at once.");
            }
        }
    }
}
