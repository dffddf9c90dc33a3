package dev.semel.bench;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a destination received: which webhooks, under which keys, and how often again. Thread-safe. */
final class ReceivedWebhooks {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final String name;
    private final BitSet numbers = new BitSet();
    private final Map<Integer, String> keys = new HashMap<>();
    private long redelivered;
    private @Nullable String fault;
    private long began;
    private long last = System.nanoTime();

    ReceivedWebhooks(String name) {
        this.name = name;
    }

    synchronized void add(int number, String key) {
        String before = keys.putIfAbsent(number, key);
        if (before == null) {
            numbers.set(number);
            last = System.nanoTime();
            began = began == 0 ? last : began;
            notifyAll();
        } else {
            redelivered++;
            if (!before.equals(key)) {
                fault = "webhook " + number + " was delivered again under another Idempotency-Key";
            }
        }
    }

    /** From now on the time is taken from the next arrival. */
    synchronized void restart() {
        began = 0;
    }

    /** From the first arrival since the restart to the last. */
    synchronized long nanos() {
        return last - began;
    }

    synchronized long redelivered() {
        return redelivered;
    }

    /** Waits until so many have arrived, for as long as there is progress. */
    synchronized void await(int count) throws InterruptedException {
        long since = System.nanoTime();
        while (keys.size() < count) {
            long quiet = System.nanoTime() - Math.max(since, last);
            if (quiet > PATIENCE_NANOS) {
                throw new HttpBench.Wrong(
                        name + ": " + count + " webhooks should have been delivered, and " + keys.size()
                                + " were; none arrived within the last " + TimeUnit.NANOSECONDS.toSeconds(quiet)
                                + " s. Something was lost.");
            }
            TimeUnit.NANOSECONDS.timedWait(this, PATIENCE_NANOS - quiet + 1);
        }
    }

    /**
     * Each of the webhooks has arrived, under a key of its own that it kept, and no other.
     *
     * @param sent their number
     * @param oneIn which of them were to be delivered: 1 for all
     */
    synchronized void verify(int sent, int oneIn) {
        BitSet expected = new BitSet();
        for (int number = 0; number < sent; number += oneIn) {
            expected.set(number);
        }
        if (!numbers.equals(expected)) {
            BitSet wrong = (BitSet) numbers.clone();
            wrong.xor(expected);
            throw new HttpBench.Wrong(name + ": of " + expected.cardinality() + " webhooks " + numbers.cardinality()
                    + " were delivered; the first that is lost or was not to be delivered is number "
                    + wrong.nextSetBit(0) + ".");
        }
        if (fault != null) {
            throw new HttpBench.Wrong(name + ": " + fault + ".");
        }
        if (new HashSet<>(keys.values()).size() != keys.size()) {
            throw new HttpBench.Wrong(name + ": two webhooks were delivered under one Idempotency-Key.");
        }
    }
}
