package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Row;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Claimed records whose handlers are outside this process: decides whether each may begin, and what its end leaves. Everything is
 * decided by the code that serves handlers of this process; only nobody here renews a lease or watches a time-out. Thread-safe.
 *
 * <p><b>Attempts.</b> As in this process, a grant counts nothing and the end of an attempt counts it. The attempt of a suspect, whose
 * last holder let its lease expire, is counted by {@link #admit}; the record says so, because its end may come to another node.
 */
public final class ExternalDelivering {
    private final DeliveryTools tools;

    public ExternalDelivering(DeliveryTools tools) {
        this.tools = tools;
    }

    /** Whether a record may begin. */
    public sealed interface StartDecision {
        /** Its handler may begin. */
        record MayBegin() implements StartDecision {}

        /** It may not: this is to be written instead. */
        record EndInstead(DeliveryResult result) implements StartDecision {}

        /** Another has the record. */
        record LostToAnother() implements StartDecision {}
    }

    /** @throws SemelException.Invalid when the payload cannot be read as the operation's type */
    public <P, R> ClaimedDelivery<P, R> claimed(Operation<P, R> operation, ClaimedDelivery.ClaimedRow claimed) {
        return ClaimedDelivery.outside(tools, operation, claimed);
    }

    /**
     * Checks modes and deadline once more, and counts the attempt of a suspect.
     *
     * @param lease that was granted
     */
    public StartDecision admit(ClaimedDelivery<?, ?> delivery, Duration lease) {
        Mode mode = tools.modes().beforeStart(delivery.prepared());
        if (mode != Mode.LIVE) {
            return new StartDecision.EndInstead(mode == Mode.SHADOW ? delivery.shadowed() : delivery.handedBack());
        }
        if (delivery.isLate()) {
            return new StartDecision.EndInstead(delivery.late());
        }
        return switch (delivery.countOutside(lease)) {
            case NOW -> new StartDecision.MayBegin();
            case LOST -> new StartDecision.LostToAnother();
            case NOT_COUNTED -> new StartDecision.EndInstead(delivery.handedBack());
        };
    }

    /** Its handler has returned. */
    public DeliveryResult finished(Operation<?, ?> operation, Row row) {
        ClaimedDelivery<?, ?> delivery = ClaimedDelivery.ending(tools, operation, row);
        delivery.begin();
        DeliveryResult result = delivery.done(null);
        delivery.ran(result);
        return result;
    }

    /**
     * Its handler has failed.
     *
     * @param retryable whether to try again, where whoever ran it knows; by the failure's category if null. A failure of the category
     *     {@code auth} then pauses the channel, and one that leaves the outside uncertain makes what may not be repeated UNKNOWN
     */
    public DeliveryResult failed(Operation<?, ?> operation, Row row, Failure failure, @Nullable Boolean retryable) {
        ClaimedDelivery<?, ?> delivery = ClaimedDelivery.ending(tools, operation, row);
        delivery.begin();
        FailedAttempt failed = tools.attempts()
                .judgeOutside(
                        delivery.prepared(), failure, retryable, delivery.number(), Failures.delay(row.failure()));
        DeliveryResult result = retryable == null ? delivery.failedInEarnest(failed, false) : delivery.follow(failed);
        delivery.ran(result);
        return result;
    }

    /** It was not run, or did nothing: back in its place, its attempt refunded. */
    public DeliveryResult handedBack(Operation<?, ?> operation, Row row) {
        return ClaimedDelivery.ending(tools, operation, row).handedBack();
    }

    /** What replaces a result whose data the store rejects. */
    public DeliveryResult notStored(
            Operation<?, ?> operation, Row row, DeliveryResult refused, SemelException.DataRefused why) {
        return ClaimedDelivery.ending(tools, operation, row).notStored(refused, why);
    }
}
