package dev.semel.server.config;

import static dev.semel.server.config.UnsetSetting.preset;
import static dev.semel.server.config.UnsetSetting.required;
import static dev.semel.server.config.UnsetSetting.words;

/** The settings of a gateway. */
enum GatewaySetting implements DeclaredSetting {
    PATH(
            ConfigPart.GATEWAY,
            "path",
            "a path",
            required(),
            "Where callers reach the API. Everything below it is passed on, without this path."),
    UPSTREAM(
            ConfigPart.GATEWAY,
            "upstream",
            "a URL",
            required(),
            "Scheme, host, port and base path of the API. Requests go nowhere else."),
    CALLERS(
            ConfigPart.GATEWAY,
            "callers",
            "token or upstream",
            preset("token"),
            "token: callers need a token of this server with the scope run:gateway.NAME, which is not passed on. upstream: the API"
                    + " authenticates; keys belong to the value of Authorization, which is passed on."),
    TENANT(
            ConfigPart.GATEWAY,
            "tenant",
            "a name",
            words("the tenant of the token"),
            "The tenant of all callers; required for callers: upstream."),
    KEY(
            ConfigPart.GATEWAY,
            "key",
            "required or optional",
            preset("required"),
            "Whether POST, PUT, PATCH and DELETE need the header Idempotency-Key."),
    TEMPLATES(
            ConfigPart.GATEWAY,
            "templates",
            "a list such as /orders/{id}",
            words("/**"),
            "Routes of the API. The same key on two routes is two keys; all that match none are one route."),
    REPEATABLE(
            ConfigPart.GATEWAY,
            "repeatable",
            "true or false",
            preset("false"),
            "Whether the API itself runs a request once for each Idempotency-Key. Then an interrupted request may be sent again, under"
                    + " the same derived key, and is not UNKNOWN."),
    PROBE(
            ConfigPart.GATEWAY,
            "probe",
            "a path with {key}",
            words("none: a person decides"),
            "Below upstream. It is asked with GET about requests that are UNKNOWN: 2xx means done, 410 means that it never will be."),
    POLICY(
            ConfigPart.GATEWAY,
            "policy",
            "the name of a policy",
            preset("api.request"),
            "Retention, lease, attempt-timeout and pauses of requests under a key."),
    HEADERS(
            ConfigPart.GATEWAY,
            "headers",
            "values by name",
            words("none"),
            "Headers of each request to the API, in place of the caller's. Credentials must come from variables or files."),
    TIMEOUT(
            ConfigPart.GATEWAY,
            "timeout",
            "a duration, 100ms to 10m",
            preset("20s"),
            "Time for a whole answer under a key, else for its beginning; shorter than the attempt-timeout of its policy."),
    IDLE(
            ConfigPart.GATEWAY,
            "idle",
            "a duration, 100ms to 10m",
            preset("30s"),
            "Time after which an answer that stands still is given up."),
    STREAMS(
            ConfigPart.GATEWAY,
            "streams",
            "pass or refuse",
            preset("pass"),
            "What happens to GET requests that are answered with a stream, such as text/event-stream."),
    UPGRADES(
            ConfigPart.GATEWAY,
            "upgrades",
            "pass or refuse",
            preset("refuse"),
            "What happens to GET requests that ask for a WebSocket connection."),
    UPGRADED_CONNECTIONS(
            ConfigPart.GATEWAY,
            "upgraded-connections",
            "1 to 10000",
            preset("100"),
            "WebSocket connections at once; further ones get 503."),
    LONGEST_UPGRADE(
            ConfigPart.GATEWAY,
            "longest-upgrade",
            "a duration, 1s to 24h",
            preset("1h"),
            "Time after which a WebSocket connection is closed; one that stands still is closed after idle."),
    LARGEST_REQUEST(
            ConfigPart.GATEWAY, "largest-request", "a size, 1B to 64MiB", preset("1MiB"), "Largest body of a request."),
    LARGEST_RESPONSE(
            ConfigPart.GATEWAY,
            "largest-response",
            "a size, 1B to 4MiB",
            preset("256KiB"),
            "Largest body that is kept for replays; a request with a larger one is done, and its replays have no body."),
    REQUESTS(
            ConfigPart.GATEWAY,
            "requests",
            "1 to 150",
            preset("50"),
            "Requests at once; further ones get 503. All gateways together may have 150.");

    private final SettingText text;

    GatewaySetting(ConfigPart part, String key, String form, UnsetSetting unset, String meaning) {
        this.text = new SettingText(part, key, form, unset, meaning);
    }

    @Override
    public SettingText text() {
        return text;
    }
}
