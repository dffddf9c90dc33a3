package dev.semel.server.oidc;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys of an identity provider, fetched when they are needed. Thread-safe.
 *
 * <ul>
 *   <li>Keys younger than {@link #FRESH} are used as they are. Older ones are used and fetched again in the background; from
 *       {@link #STALE} on the fetch is awaited first, so that a key that was revoked during a quiet time is not used again.
 *   <li>A token of an unknown key lets the keys be fetched again. There is one fetch at a time, and at least {@link #PAUSE} between two,
 *       so invented keys cannot make this server send many requests.
 *   <li>Nobody waits for a lock while the network is used. At most {@link #MOST_WAITING} callers wait for a fetch, a few seconds each;
 *       further ones get their answer from the keys that are known. Tokens of known keys do not wait.
 *   <li>When the provider is down, known keys are used until they are {@link #LONGEST_OUTAGE} old.
 * </ul>
 */
final class ProviderKeys implements JWKSource<SecurityContext> {
    static final Duration FRESH = Duration.ofMinutes(5);
    static final Duration STALE = Duration.ofMinutes(15);
    static final Duration LONGEST_OUTAGE = Duration.ofHours(6);
    static final Duration PAUSE = Duration.ofSeconds(10);
    static final int MOST_WAITING = 16;

    private static final Logger LOG = LoggerFactory.getLogger(ProviderKeys.class);
    private static final Duration LONGEST_WAIT = ProviderDocuments.LONGEST.plusSeconds(1);

    private final String issuer;
    private final Supplier<CompletableFuture<JWKSet>> source;
    private final TimeSource time;
    private final Semaphore waiting = new Semaphore(MOST_WAITING);
    private volatile @Nullable FetchedKeys known;
    private volatile boolean failing;
    private @Nullable CompletableFuture<Void> underWay;
    private @Nullable Long begun;

    private record FetchedKeys(JWKSet set, long at) {}

    /** @param source fetches the keys without blocking; its results are bounded in time */
    ProviderKeys(String issuer, Supplier<CompletableFuture<JWKSet>> source, TimeSource time) {
        this.issuer = issuer;
        this.source = source;
        this.time = time;
    }

    /** Begins to fetch them. */
    void prefetch() {
        fetch();
    }

    @Override
    public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) throws KeySourceException {
        FetchedKeys before = usable();
        List<JWK> found = before == null ? List.of() : selector.select(before.set);
        if (before != null && !found.isEmpty() && age(before).compareTo(FRESH) < 0) {
            return found;
        }
        CompletableFuture<Void> fetch = fetch();
        boolean needed =
                before == null || found.isEmpty() || !failing && age(before).compareTo(STALE) >= 0;
        if (fetch != null && needed) {
            await(fetch);
        }
        FetchedKeys now = usable();
        if (now == null) {
            throw new KeySourceException("the keys of the identity provider are not available");
        }
        return selector.select(now.set);
    }

    /** Null when there are none that may be used. */
    private @Nullable FetchedKeys usable() {
        FetchedKeys keys = known;
        return keys == null || age(keys).compareTo(LONGEST_OUTAGE) >= 0 ? null : keys;
    }

    private Duration age(FetchedKeys keys) {
        return Duration.ofNanos(time.nanos() - keys.at);
    }

    /** The fetch that is under way, or a new one; null when the last one began too short a time ago. */
    private @Nullable CompletableFuture<Void> fetch() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        synchronized (this) {
            if (underWay != null) {
                return underWay;
            }
            long now = time.nanos();
            if (begun != null && now - begun < PAUSE.toNanos()) {
                return null;
            }
            begun = now;
            underWay = mine;
        }
        CompletableFuture<JWKSet> fetched;
        try {
            fetched = source.get();
        } catch (RuntimeException e) {
            fetched = CompletableFuture.failedFuture(e);
        }
        fetched.whenComplete((set, failure) -> end(mine, set, failure));
        return mine;
    }

    private void end(CompletableFuture<Void> fetch, @Nullable JWKSet set, @Nullable Throwable failure) {
        if (set != null) {
            known = new FetchedKeys(set, time.nanos());
            if (failing) {
                LOG.info("The keys of the identity provider {} were fetched; it can be reached again.", issuer);
            }
        } else if (!failing) {
            LOG.warn(
                    "Fetching the keys of the identity provider {} failed ({}); {}; retrying, at most every {} s.",
                    issuer,
                    ProviderDocuments.reason(failure),
                    known == null
                            ? "its tokens are rejected meanwhile"
                            : "the known keys are used for at most " + LONGEST_OUTAGE.toHours() + " h",
                    PAUSE.toSeconds());
        }
        failing = set == null;
        synchronized (this) {
            underWay = null;
        }
        fetch.complete(null);
    }

    private void await(CompletableFuture<Void> fetch) {
        if (!waiting.tryAcquire()) {
            return;
        }
        try {
            fetch.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Waiting for the keys of the identity provider {} timed out.", issuer, e);
        } finally {
            waiting.release();
        }
    }
}
