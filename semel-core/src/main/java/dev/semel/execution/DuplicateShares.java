package dev.semel.execution;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Learns for each operation how many of its calls are duplicates of finished ones. Where most are, a call looks for its stored
 * answer first, in one read that many callers share, and needs no transaction. Where most are first calls, nobody pays for a
 * look that finds nothing.
 */
public final class DuplicateShares {
    private final Map<String, Share> shares = new ConcurrentHashMap<>();

    Share of(String operation) {
        Share known = shares.get(operation);
        return known != null ? known : shares.computeIfAbsent(operation, name -> new Share());
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
