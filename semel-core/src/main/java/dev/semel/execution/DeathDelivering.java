package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.execution.DeathTransaction.DeathOutcome;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the deaths of claimed records, each in a transaction of its own. While that fails, the record is put back and stays dying:
 * its death is tried again after a pause, and its own handler is not run any more.
 */
public final class DeathDelivering {
    private static final Duration WHILE_SHADOW = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(DeathDelivering.class);

    private final DeathTools tools;

    public DeathDelivering(DeathTools tools) {
        this.tools = tools;
    }

    /**
     * What became of a death.
     *
     * @param result the dead letter if it is committed, and otherwise what is still to be written; nothing when the record was lost
     */
    public record DeathResult(boolean committed, @Nullable DeliveryResult result) {}

    /** Runs the onDead handler on this thread. */
    public <P, R> DeathResult run(ClaimedDelivery<P, R> delivery) {
        LeaseKeeper.Stop kept = delivery.held().stopReason();
        if (kept != LeaseKeeper.Stop.NONE) {
            return toWrite(kept == LeaseKeeper.Stop.LEASE_OVER ? delivery.handedBack() : null);
        }
        Mode mode = tools.atomic().modes().beforeStart(delivery.prepared());
        PendingDeath dying = Objects.requireNonNull(delivery.dying());
        if (mode != Mode.LIVE) {
            // Its handler ran in earnest before, so it is no rehearsal: it keeps its place and its failure, and dies
            // later.
            return toWrite(mode == Mode.SHADOW ? delivery.dies(dying, WHILE_SHADOW) : delivery.handedBack());
        }
        String obstacle = !tools.has(delivery.prepared())
                ? "no onDead handler is registered on this node; register it on each node that handles "
                        + delivery.prepared().header().operation()
                : obstacle(delivery, dying);
        if (obstacle != null) {
            return later(delivery, dying, obstacle, null);
        }
        DeliveryResult dead = delivery.died(dying);
        if (dead.kind() != DeliveryResult.ResultKind.DEAD) {
            // Its policy keeps no dead letters any more.
            return toWrite(dead);
        }
        return settled(
                delivery,
                dying,
                dead,
                tools.transaction(delivery.prepared(), dying).run(dead.move()));
    }

    /** Why it is not tried now, if so. */
    private static @Nullable String obstacle(ClaimedDelivery<?, ?> delivery, PendingDeath dying) {
        if (delivery.isTakenOver()) {
            return "the node that tried it last died or was cut off";
        }
        boolean unread = delivery.isUnread() && dying.failure().category() != Failure.Category.MAPPING;
        return unread && !dying.hasLongestPause() ? "its payload cannot be read on this node" : null;
    }

    private <P, R> DeathResult settled(
            ClaimedDelivery<P, R> delivery, PendingDeath dying, DeliveryResult dead, DeathOutcome outcome) {
        if (outcome instanceof DeathOutcome.DeathRecorded) {
            return new DeathResult(true, dead);
        }
        if (outcome instanceof DeathOutcome.Overtaken) {
            return toWrite(null);
        }
        if (outcome instanceof DeathOutcome.SwitchedOff) {
            return toWrite(delivery.handedBack());
        }
        if (outcome instanceof DeathOutcome.NotStorable refused) {
            return toWrite(delivery.notStored(dead, refused.why()));
        }
        DeathOutcome.NotRecorded failed = (DeathOutcome.NotRecorded) outcome;
        if (failed.endedItsTransaction()) {
            return toWrite(delivery.unknown(failed.asFailure()));
        }
        boolean closing = failed.handler().stop() == LeaseKeeper.Stop.NONE
                && (failed.thrown() instanceof InterruptedException
                        || Thread.currentThread().isInterrupted());
        return closing ? toWrite(delivery.handedBack()) : later(delivery, dying, failed.error(), failed.thrown());
    }

    private static DeathResult later(
            ClaimedDelivery<?, ?> delivery, PendingDeath dying, String error, @Nullable Throwable thrown) {
        PendingDeath next = dying.failed(error);
        LOG.warn(
                "{} (correlation {}) failed for good, and its onDead handler was not successful (try {}): {}. Nothing was"
                        + " committed: neither its dead letter nor what the handler did. Retrying in {} s.",
                delivery.prepared().name(),
                delivery.prepared().correlationId(),
                next.tries().failed(),
                error,
                next.pause().toSeconds(),
                thrown);
        return toWrite(delivery.dies(next, next.pause()));
    }

    private static DeathResult toWrite(@Nullable DeliveryResult result) {
        return new DeathResult(false, result);
    }
}
