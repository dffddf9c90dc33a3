package dev.semel.spring;

import dev.semel.http.Level;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the Idempotency-Key filter, in the same three tiers.
 *
 * @param enabled Whether the Idempotency-Key filter is enabled.
 * @param keys Which POST, PUT, PATCH and DELETE requests need a key.
 * @param anonymous Whether unauthenticated requests are accepted. Those of one tenant share one key scope; an authenticated
 *     caller keeps its own scope.
 * @param level Guarantee for a handler's effect and its response. By default marker, or plain where the ledger is not in the
 *     application's data source.
 * @param tuning Settings that are often changed.
 * @param expert Settings that few applications need.
 */
@ConfigurationProperties("semel.http")
record SemelHttpProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("required") Keys keys,
        @DefaultValue("false") boolean anonymous,
        @Nullable Level level,
        @DefaultValue HttpTuning tuning,
        @DefaultValue HttpExpert expert) {

    /** @param inDataSource whether the ledger is in the application's data source */
    Level level(boolean inDataSource) {
        return level != null ? level : inDataSource ? Level.MARKER : Level.PLAIN;
    }

    /** Which requests need a key. */
    enum Keys {
        /** All requests, except on routes that declare otherwise. */
        REQUIRED,
        /** No request, but a request with a key runs once. */
        OPTIONAL,
        /** Requests to annotated handlers. */
        ANNOTATED
    }

    /**
     * @param policy Policy of routes that name none: retention, lease, attempt timeout and pauses.
     * @param patience How long a duplicate waits for the first request before it gets 409 in progress.
     * @param largestRequest Largest request body, also after decompression.
     * @param largestKeptResponse Largest response body that is stored for replays. A larger one is sent once and not stored.
     * @param replayedHeaders Further response headers that a replay repeats.
     * @param responses Limits of responses that are held until their record is finished.
     */
    record HttpTuning(
            @DefaultValue("api.request") String policy,
            @DefaultValue("0s") Duration patience,
            @DefaultValue("10MB") DataSize largestRequest,
            @DefaultValue("256KB") DataSize largestKeptResponse,
            @DefaultValue List<String> replayedHeaders,
            @DefaultValue Responses responses) {}

    /**
     * @param largestHeld Largest response body that is held until its record is finished. A larger one is not sent, and its
     *     request is recorded as done without a body.
     * @param holdStreams Whether a streaming response (server-sent events, NDJSON) is held like any other. Otherwise such a route
     *     needs header = OFF.
     */
    record Responses(
            @DefaultValue("64MB") DataSize largestHeld,
            @DefaultValue("false") boolean holdStreams) {}

    /**
     * @param ietfDocumentation Enables the profile of the IETF draft (422 for a reused key, quoted keys), with a link to this page.
     * @param order Order of the filter. It must be behind Spring Security, so that authentication comes first.
     * @param handlersOnOtherThreads Whether handlers may use the database on other threads than the request's. If so, a failure at
     *     the level marker is UNKNOWN when an unknown thread took a connection while the handler ran.
     * @param keysByIssuerAndVersion Whether the token issuer and the API version are part of the key scope. Set false to keep the
     *     scope of releases without them.
     * @param breaker Circuit breaker of each route, which pauses it when its handler keeps failing.
     */
    record HttpExpert(
            @Nullable URI ietfDocumentation,
            @DefaultValue("-50") int order,
            @DefaultValue("true") boolean handlersOnOtherThreads,
            @DefaultValue("true") boolean keysByIssuerAndVersion,
            @DefaultValue Breaker breaker) {}

    /**
     * @param failurePercent Share of failed calls at which a route is paused. 0 for never.
     * @param calls Number of last calls that count.
     * @param pause How long the route is paused before a few requests may run. Replays still work.
     */
    record Breaker(
            @DefaultValue("0") int failurePercent,
            @DefaultValue("100") int calls,
            @DefaultValue("30s") Duration pause) {}
}
