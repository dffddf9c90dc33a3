package dev.semel.execution;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * Learns for each operation how many of its calls are duplicates of finished ones. Where most are, a call looks for its stored
 * answer first, in one read that many callers share, and needs no transaction. Where most are first calls, nobody pays for a
 * look that finds nothing. Bounded, because callers outside choose names of operations: what is forgotten is learned again.
 */
public final class DuplicateShares {
    private static final int MOST = 1_000;

    private final Cache<String, Share> shares =
            Caffeine.newBuilder().maximumSize(MOST).executor(Runnable::run).build();

    Share of(String operation) {
        return shares.get(operation, name -> new Share());
    }

    /** How many operations it has learned about. */
    long size() {
        shares.cleanUp();
        return shares.estimatedSize();
    }

    /** A moving average over about the last sixteen calls. Callers that count at once may overwrite each other: it is a guess. */
    static final class Share {
        private static final int ALL = 1 << 16;
        private static final int WEIGHT = 16;

        private volatile int value;

        boolean isHigh() {
            return value > ALL / 2;
        }

        void count(boolean duplicate) {
            int now = value;
            int next = now + ((duplicate ? ALL : 0) - now) / WEIGHT;
            if (next != now) {
                value = next;
            }
        }
    }
}
