package dev.semel.testkit.sim;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A simulated thread that runs only while it has the turn. Only the holder of the turn touches any field but the
 * turn.
 */
final class Actor {
    final String name;

    /** The life of the node it acts on; none for those who stand outside. */
    @Nullable
    NodeLifetime life;

    private volatile @Nullable Thread thread;
    private volatile boolean turn;
    private volatile boolean interruptKept;

    @Nullable
    SimTime.Opened gate;

    long wakeAt;
    boolean interruptible;
    boolean ended;

    Actor(String name, @Nullable NodeLifetime life) {
        this.name = name;
        this.life = life;
    }

    boolean dead() {
        return life != null && life.over;
    }

    /** When it can continue, if nothing else happens: now, later or never. */
    long readyAt(long now) {
        boolean awake = gate != null && gate.isOpen() || interruptible && interrupted();
        long at = awake ? now : Math.max(now, wakeAt);
        return life == null ? at : Math.max(at, life.pausedUntil);
    }

    /** The order of the two reads matters: {@link #awaitTurn} keeps the interrupt before it clears it. */
    private boolean interrupted() {
        Thread own = thread;
        return own != null && own.isInterrupted() || interruptKept;
    }

    void giveTurn() {
        turn = true;
        Thread own = thread;
        if (own != null) {
            LockSupport.unpark(own);
        }
    }

    /** Parks until it has the turn. An interrupt does not end that, and is there again afterwards. */
    void awaitTurn() {
        Thread own = Thread.currentThread();
        thread = own;
        while (!turn) {
            if (own.isInterrupted()) {
                interruptKept = true;
                Thread.interrupted();
            }
            LockSupport.park(this);
        }
        turn = false;
        if (interruptKept) {
            interruptKept = false;
            own.interrupt();
        }
    }
}
