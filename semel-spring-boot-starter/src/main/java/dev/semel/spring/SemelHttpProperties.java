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
 * @param enabled Whether requests pass through the filter at all.
 * @param keys Which POST, PUT, PATCH and DELETE requests need a key.
 * @param anonymous Whether callers need not be authenticated. Those of a tenant who are not share their keys; who is
 *     authenticated has keys of its own all the same.
 * @param level What is promised of a handler's effect and its answer. By default marker, or plain where the ledger is not in the
 *     application's data source.
 * @param tuning What is often changed.
 * @param expert What few need.
 */
@ConfigurationProperties("semel.http")
record SemelHttpProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("required") Keys keys,
        @DefaultValue("false") boolean anonymous,
        @Nullable Level level,
        @DefaultValue Tuning tuning,
        @DefaultValue Expert expert) {

    /** @param inDataSource whether the ledger is where the application's own writes go */
    Level level(boolean inDataSource) {
        return level != null ? level : inDataSource ? Level.MARKER : Level.PLAIN;
    }

    /** Which requests need a key. */
    enum Keys {
        /** All of them, unless their handler says otherwise. */
        REQUIRED,
        /** None, but what comes with one is run once. */
        OPTIONAL,
        /** Those whose handler is annotated. */
        ANNOTATED
    }

    /**
     * @param policy Retention, lease, attempt time-out and pauses of routes that name no policy.
     * @param patience How long a duplicate waits for the first before it is told that it is in progress.
     * @param largestRequest Largest request body, also once it is unpacked.
     * @param largestKeptResponse Largest response body that is kept for replays. A larger one is sent once and not kept.
     * @param replayedHeaders Further response headers that a replay repeats.
     * @param responses What is held of a response until its record is finished.
     */
    record Tuning(
            @DefaultValue("api.request") String policy,
            @DefaultValue("0s") Duration patience,
            @DefaultValue("10MB") DataSize largestRequest,
            @DefaultValue("256KB") DataSize largestKeptResponse,
            @DefaultValue List<String> replayedHeaders,
            @DefaultValue Responses responses) {}

    /**
     * @param largestHeld Largest response body that is held until its record is finished. A larger one is not sent, and its
     *     request is recorded as done without a body.
     * @param holdStreams Whether a response that is to be read while it is written (server-sent events, NDJSON) is held like any
     *     other. Otherwise such a route needs header = OFF.
     */
    record Responses(
            @DefaultValue("64MB") DataSize largestHeld,
            @DefaultValue("false") boolean holdStreams) {}

    /**
     * @param ietfDocumentation Answers as the IETF's draft asks (422 for a reused key, keys in quotes), with a link to this page.
     * @param order Of the filter. Behind Spring Security's, so that authentication comes first.
     * @param handlersOnOtherThreads Whether handlers may use the database on other threads than the request's. Then a failure at
     *     the level marker is UNKNOWN if an unknown thread took a connection meanwhile.
     * @param keysByIssuerAndVersion Whether keys of two issuers of tokens, and of two versions of the application's interface, are
     *     different keys. Without it they are as before both were told apart.
     * @param breaker Of each route: when it is paused because its handler keeps failing.
     */
    record Expert(
            @Nullable URI ietfDocumentation,
            @DefaultValue("-50") int order,
            @DefaultValue("true") boolean handlersOnOtherThreads,
            @DefaultValue("true") boolean keysByIssuerAndVersion,
            @DefaultValue Breaker breaker) {}

    /**
     * @param failurePercent From which share of the last calls on a route is paused. 0 for never.
     * @param calls How many calls are looked at.
     * @param pause How long nothing is run before a few requests are let through. Replays are answered meanwhile.
     */
    record Breaker(
            @DefaultValue("0") int failurePercent,
            @DefaultValue("100") int calls,
            @DefaultValue("30s") Duration pause) {}
}
