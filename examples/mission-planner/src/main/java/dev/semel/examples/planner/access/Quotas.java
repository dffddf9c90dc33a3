package dev.semel.examples.planner.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** Counts the writes of each caller in the current minute, on this node. */
@Component
public class Quotas {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Cache<Caller, AtomicInteger> used =
            Caffeine.newBuilder().expireAfterWrite(MINUTE).maximumSize(100_000).build();

    /** How long the caller must wait; empty to let it pass. */
    public Optional<Duration> refusal(Caller caller) {
        int count = used.get(caller, any -> new AtomicInteger()).incrementAndGet();
        return count <= caller.perMinute()
                ? Optional.empty()
                : used.policy()
                        .expireAfterWrite()
                        .flatMap(ages -> ages.ageOf(caller))
                        .map(MINUTE::minus);
    }
}
