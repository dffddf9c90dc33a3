package dev.semel.worker;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes of large payloads a node may hold at once, over all its channels. Small ones are not counted: how many of these are held
 * is bounded by {@link ClaimWindow}. Thread-safe.
 */
final class PayloadBudget {
    /** A payload is held as it is stored and as the handler gets it, and a handler makes copies: the budget is a small part of the heap. */
    private static final int PART_OF_HEAP = 16;

    private static final long LEAST = 4L << 20;

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    PayloadBudget(long limit) {
        this.limit = limit;
    }

    /** A part of the largest heap that this process may have. */
    static PayloadBudget ofHeap() {
        return new PayloadBudget(Math.max(LEAST, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    void add(long bytes) {
        held.addAndGet(bytes);
    }

    void remove(long bytes) {
        held.addAndGet(-bytes);
    }

    /** How many more bytes may be held; negative when it is more than that. */
    long left() {
        return limit - held.get();
    }
}
