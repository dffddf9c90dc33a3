package dev.semel.worker;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Lets one suspect at a time run on this node, of all operations together. What was held by a node that died may be what killed
 * it. If it kills this one too, nothing else that is counted before it begins was running beside it, so only its own attempt is
 * spent. The permit is held until the end of the suspect is written.
 */
final class SuspectPermit {
    private final AtomicBoolean taken = new AtomicBoolean();
    private final Runnable whenFree;

    /** @param whenFree told when others may try */
    SuspectPermit(Runnable whenFree) {
        this.whenFree = whenFree;
    }

    boolean tryTake() {
        return taken.compareAndSet(false, true);
    }

    void giveBack() {
        taken.set(false);
        whenFree.run();
    }

    boolean isFree() {
        return !taken.get();
    }
}
