package dev.semel.engine;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Random numbers for jitter, owners of grants and correlation ids. Two nodes must not draw the same, so every
 * thread's sequence is seeded from the system's entropy; they need not be secret, so the generator is cheap and
 * without a lock.
 */
final class SeededRandom implements RandomGenerator {
    private final SecureRandom entropy = new SecureRandom();
    private final ThreadLocal<SplittableRandom> sequences =
            ThreadLocal.withInitial(() -> new SplittableRandom(entropy.nextLong()));

    @Override
    public long nextLong() {
        return sequences.get().nextLong();
    }
}
