package dev.semel.execution;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.semel.audit.FirstRun;
import dev.semel.key.RecordId;
import dev.semel.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The optional local cache: small results of records that are COMPLETED, which nothing but retention or an operator can undo.
 * An entry is trusted for a minute at most, so that an operator's "forget" reaches every node by then.
 */
public final class ResultCache {
    private static final int LARGEST = 4_096;
    private static final Duration TRUSTED = Duration.ofMinutes(1);

    private record Snapshot(CommittedResult committed, long untilNanos) {}

    private final @Nullable Cache<RecordId, Snapshot> cache;
    private final TimeSource time;

    /** @param results how many to keep; 0 for none */
    public ResultCache(int results, TimeSource time) {
        this.cache = results == 0
                ? null
                : Caffeine.newBuilder()
                        .maximumSize(results)
                        .executor(Runnable::run)
                        .build();
        this.time = time;
    }

    @Nullable
    CommittedResult get(RecordId id) {
        if (cache == null) {
            return null;
        }
        Snapshot found = cache.getIfPresent(id);
        if (found != null && found.untilNanos() - time.nanos() <= 0) {
            cache.invalidate(id);
            return null;
        }
        return found == null ? null : found.committed();
    }

    void put(RecordId id, CommittedResult committed, Duration kept) {
        byte[] result = committed.result();
        if (cache != null && (result == null || result.length <= LARGEST)) {
            Duration trusted = kept.compareTo(TRUSTED) < 0 ? kept : TRUSTED;
            cache.put(id, new Snapshot(committed, time.nanos() + trusted.toNanos()));
        }
    }

    /** A result is final: waiting duplicates and later callers of this process may have it. */
    void committed(PreparedCall<?, ?> prepared, InFlightCalls.Leader leader, byte @Nullable [] result, long fence) {
        committed(prepared, leader, result, fence, prepared.policy().retention().success());
    }

    /** @param keep for how long the record keeps it */
    void committed(
            PreparedCall<?, ?> prepared,
            InFlightCalls.Leader leader,
            byte @Nullable [] result,
            long fence,
            Duration keep) {
        FirstRun first = FirstRun.of(prepared.header(), fence);
        CommittedResult committed = new CommittedResult(prepared.stored(), result, first);
        leader.committed(committed);
        put(prepared.id(), committed, keep);
    }

    /** Forgets one, when its record was removed here. */
    public void forget(RecordId id) {
        if (cache != null) {
            cache.invalidate(id);
        }
    }
}
