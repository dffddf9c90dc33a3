package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Row;
import java.time.Duration;

/**
 * A claimed record whose payload cannot be read here. During a deployment another node may be able to, so it is handed back, its
 * attempt refunded, with a pause that doubles each time; once that has gone on for {@link #LONGEST_PAUSE} and nobody could read it, it
 * is a dead letter, unless its policy keeps none.
 */
public final class UnreadablePayload {
    /** With those before it about a quarter of an hour. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(512);

    private UnreadablePayload() {}

    /** What it leaves. */
    public static DeliveryResult result(
            DeliveryTools services,
            Operation<?, ?> operation,
            ClaimedDelivery.ClaimedRow claimed,
            SemelException.Invalid why) {
        Failure failure = Failure.of(
                Failure.Category.MAPPING,
                "Its payload cannot be read as "
                        + operation.definition().payload().name() + ": " + why.getMessage());
        ClaimedDelivery<?, ?> delivery = ClaimedDelivery.unread(services, operation, claimed);
        Duration before = pauseBefore(claimed.row());
        return before.compareTo(LONGEST_PAUSE) >= 0
                ? delivery.unread(failure)
                : delivery.leftToOthers(
                        failure, before.isZero() ? ClaimedDelivery.FIRST_PAUSE : before.multipliedBy(2));
    }

    /** For how long it was last left to other nodes. */
    private static Duration pauseBefore(Row row) {
        byte[] failure = row.failure();
        boolean unread = failure != null && Failures.decode(failure).category() == Failure.Category.MAPPING;
        Duration pause = unread ? Failures.delay(failure) : null;
        return pause == null ? Duration.ZERO : pause;
    }
}
