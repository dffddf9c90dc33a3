package dev.semel.server.delivery;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The newest attempts of each destination on this node, in memory. Thread-safe. */
public final class RecentAttempts implements AttemptLog {
    private final int perDestination;
    private final Map<String, Deque<AttemptRecord>> attempts = new ConcurrentHashMap<>();

    /** @param perDestination how many are kept; 1 or more */
    public RecentAttempts(int perDestination) {
        if (perDestination < 1) {
            throw new IllegalArgumentException("Keep at least one attempt of each destination.");
        }
        this.perDestination = perDestination;
    }

    @Override
    public void ended(AttemptRecord attempt) {
        Deque<AttemptRecord> own = attempts.computeIfAbsent(attempt.destination(), any -> new ArrayDeque<>());
        synchronized (own) {
            if (own.size() == perDestination) {
                own.removeLast();
            }
            own.addFirst(attempt);
        }
    }

    /** Those of a destination, newest first. */
    public List<AttemptRecord> of(String destination) {
        Deque<AttemptRecord> own = attempts.get(destination);
        if (own == null) {
            return List.of();
        }
        synchronized (own) {
            return List.copyOf(own);
        }
    }
}
