package dev.semel.spring;

import dev.semel.http.Level;
import dev.semel.http.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Which routes the Idempotency-Key filter protects, and how. Beside {@link SemelHttpProperties}, with the same prefix.
 *
 * @param include Path patterns of the routes that the filter protects, such as /api/**. By default all routes. A pattern is compared
 *     with the path of a mapping, as in /orders/{id}.
 * @param exclude Path patterns of the routes that pass untouched. They win over semel.http.include.
 * @param logOnly Whether the filter only logs and counts what it would have done, and every request passes untouched. For a first
 *     roll-out.
 * @param routes Rules of single routes. Each entry has a path pattern and the settings that it changes: methods, key, level, log-only
 *     and tuning. Where several entries match, each setting is taken from the most specific one that has it.
 * @param labels Path patterns of the routes that have a label, by label. Modes can be set for all operations, channels and routes with
 *     one label.
 * @param status Where callers find the status of their own requests.
 */
@ConfigurationProperties("semel.http")
record SemelRouteProperties(
        @DefaultValue List<String> include,
        @DefaultValue List<String> exclude,
        @DefaultValue("false") boolean logOnly,
        @DefaultValue List<Route> routes,
        @DefaultValue Map<String, List<String>> labels,
        @DefaultValue StatusPath status) {

    /**
     * @param path Path below which a caller finds the status of its own requests by record id, such as /requests. Problems link to
     *     it. Nothing is served unless it is set.
     * @param cancel Whether a caller may cancel its own requests that wait for a retry, with POST and a reason.
     */
    record StatusPath(
            @Nullable String path, @DefaultValue("false") boolean cancel) {
        static final StatusPath NONE = new StatusPath(null, false);
    }

    /** The HTTP methods that can have a rule. */
    enum WriteMethod {
        POST,
        PUT,
        PATCH,
        DELETE
    }

    /**
     * The rule of a route. What is absent is as for all other routes.
     *
     * @param path Path pattern of the routes, such as /orders/{id} or /payments/**.
     * @param methods HTTP methods of the routes. By default all four.
     * @param key Whether a request needs a key. By default as in semel.http.keys.
     * @param level Guarantee for the handler's effect and its response. By default as in semel.http.level.
     * @param logOnly Whether requests pass untouched, and the filter only logs and counts what it would have done. By default as in
     *     semel.http.log-only.
     * @param tuning Settings that are often changed, as in semel.http.tuning.
     */
    record Route(
            @Nullable String path,
            @DefaultValue List<WriteMethod> methods,
            Rule.@Nullable KeyUse key,
            @Nullable Level level,
            @Nullable Boolean logOnly,
            @DefaultValue RouteTuning tuning) {}

    /**
     * @param policy Policy of the routes: retention, lease, attempt timeout and pauses.
     * @param patience How long a duplicate waits for the first request before it gets 409 in progress.
     * @param largestRequest Largest request body, also after decompression.
     * @param largestKeptResponse Largest response body that is stored for replays. A larger one is sent once and not stored.
     * @param responses Limits of responses that are held until their record is finished.
     * @param breaker Circuit breaker of each of the routes, instead of semel.http.expert.breaker.
     */
    record RouteTuning(
            @Nullable String policy,
            @Nullable Duration patience,
            @Nullable DataSize largestRequest,
            @Nullable DataSize largestKeptResponse,
            @DefaultValue RouteResponses responses,
            SemelHttpProperties.@Nullable Breaker breaker) {}

    /**
     * @param largestHeld Largest response body that is held until its record is finished. A larger one is not sent, and its
     *     request is recorded as done without a body.
     * @param holdStreams Whether a streaming response (server-sent events, NDJSON) is held like any other.
     */
    record RouteResponses(
            @Nullable DataSize largestHeld, @Nullable Boolean holdStreams) {}
}
