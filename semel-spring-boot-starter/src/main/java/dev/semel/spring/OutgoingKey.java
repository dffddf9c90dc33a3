package dev.semel.spring;

import dev.semel.execution.DownstreamKey;
import dev.semel.http.IdempotentExchange;
import dev.semel.http.RetryRules;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;

/**
 * The key of an outgoing call that has none: from the leased run, the step or the request on this thread, so that it is the same
 * when that runs again; elsewhere a new one.
 */
record OutgoingKey(String key, OptionalLong fence) {
    private static final boolean WITH_SERVLETS =
            ClassUtils.isPresent("jakarta.servlet.ServletRequest", OutgoingKey.class.getClassLoader());

    /** Empty where the method needs no key. */
    static Optional<OutgoingKey> of(RetryRules rules, String method, URI uri) {
        // Without the query: with a time or a nonce in it each attempt would be another call.
        String call = method + " " + uri.getAuthority() + uri.getPath();
        return rules.newKey(method)
                .map(fresh -> DownstreamKey.current()
                        .map(run -> new OutgoingKey(run.take(call), OptionalLong.of(run.fence())))
                        .or(() -> WITH_SERVLETS ? ofRequest(call) : Optional.empty())
                        .orElseGet(() -> new OutgoingKey(fresh, OptionalLong.empty())));
    }

    private static Optional<OutgoingKey> ofRequest(String call) {
        return IdempotentExchange.current()
                .flatMap(exchange -> exchange.downstreamKey(call).map(key -> new OutgoingKey(key, exchange.fence())));
    }

    void setOn(HttpHeaders headers) {
        headers.set(RetryRules.KEY, key);
        fence.ifPresent(number -> headers.set(RetryRules.FENCE, Long.toString(number)));
    }
}
