package dev.semel.server.config;

import static dev.semel.server.config.UnsetSetting.preset;
import static dev.semel.server.config.UnsetSetting.required;
import static dev.semel.server.config.UnsetSetting.words;

/** The settings of the file but those of gateways. */
enum ConfigSetting implements DeclaredSetting {
    STORE(
            ConfigPart.FILE,
            "store",
            "a URL",
            required(),
            "The ledger: sqlite:semel.db or postgresql://user:${env:DB_PASSWORD}@host/database. A password must come from a variable or a file."),
    LISTEN(ConfigPart.FILE, "listen", "settings", words("as below"), "Where the server listens."),
    POLICIES(
            ConfigPart.FILE,
            "policies",
            "settings by name",
            words("none"),
            "Policies that are added to the shipped ones, or change them."),
    SOURCES(ConfigPart.FILE, "sources", "settings by name", words("none"), "Senders of webhooks."),
    TOPICS(
            ConfigPart.FILE,
            "topics",
            "settings by name",
            words("none"),
            "Names to which clients of the HTTP API send messages that are routed."),
    DESTINATIONS(ConfigPart.FILE, "destinations", "settings by name", words("none"), "Where webhooks are delivered."),
    ROUTES(
            ConfigPart.FILE,
            "routes",
            "a list",
            words("none"),
            "Which webhooks go from which source, and which messages from which topic, to which destinations."),
    TOKENS(
            ConfigPart.FILE,
            "tokens",
            "settings by name",
            words("none, and the HTTP API is off"),
            "Clients of the HTTP API. A name is shown in the audit and in logs."),
    CHANNELS(
            ConfigPart.FILE,
            "channels",
            "settings by name",
            words("none"),
            "Channels of the HTTP API that differ from the presets. Others need no setting."),
    GATEWAYS(
            ConfigPart.FILE,
            "gateways",
            "settings by name",
            words("none"),
            "HTTP APIs in front of which the server runs each request under an Idempotency-Key once."),
    USERS(ConfigPart.FILE, "users", "settings by name", words("none"), "Operators, by their names in the audit."),
    OIDC(ConfigPart.FILE, "oidc", "settings", words("none"), "An identity provider whose tokens operators may send."),
    SESSIONS(ConfigPart.FILE, "sessions", "settings", words("as below"), "Limits of operators' sessions."),

    CONSOLE(
            ConfigPart.FILE,
            "console",
            "true or false",
            preset("true"),
            "Whether the pages of the console are served at /console/. The API for operators is served in any case."),
    VIEWERS_SEE_PAYLOADS(
            ConfigPart.FILE,
            "viewers-see-payloads",
            "true or false",
            preset("false"),
            "Whether the role viewer sees payloads, results and answers of destinations, with likely secrets masked."),

    LISTEN_ADDRESS(
            ConfigPart.LISTEN,
            "address",
            "an IP address or host name",
            preset("127.0.0.1"),
            "The address to listen on; 0.0.0.0 for all."),
    LISTEN_PORT(ConfigPart.LISTEN, "port", "0 to 65535", preset("8080"), "The port; 0 for any free one."),
    LISTEN_TLS(ConfigPart.LISTEN, "tls", "settings", words("plain HTTP"), "The certificate, for HTTPS."),
    LISTEN_LIMITS(ConfigPart.LISTEN, "limits", "settings", words("as below"), "Limits of requests and connections."),
    LISTEN_DRAIN(
            ConfigPart.LISTEN,
            "drain",
            "a duration, at most 10m",
            preset("20s"),
            "How long requests and deliveries may take to end after SIGTERM."),

    TLS_CERTIFICATE(
            ConfigPart.TLS,
            "certificate",
            "a file",
            required(),
            "The certificate chain in PEM. A relative path starts at the directory of the configuration."),
    TLS_KEY(ConfigPart.TLS, "key", "a file", required(), "The private key in PEM."),

    LIMITS_CONNECTIONS(ConfigPart.LIMITS, "connections", "1 to 100000", preset("1000"), "Open connections at once."),
    LIMITS_CONNECTIONS_PER_ADDRESS(
            ConfigPart.LIMITS,
            "connections-per-address",
            "1 to connections",
            words("half of connections"),
            "Open connections at once of one client address, or of one IPv6 network of 64 bits. Behind a reverse proxy all of them come"
                    + " from its address: write the number of connections."),
    LIMITS_HEADERS(
            ConfigPart.LIMITS,
            "header-size",
            "a size, 1KiB to 1MiB",
            preset("16KiB"),
            "The largest header section of one request."),
    LIMITS_IDLE(
            ConfigPart.LIMITS,
            "idle",
            "a duration, 1s to 1h",
            preset("30s"),
            "Time after which a connection that stands still, or has sent no complete header section, is closed."),

    SOURCE_PATH(
            ConfigPart.SOURCE,
            "path",
            "a path",
            required(),
            "The path that the sender calls. One part of it must be random, 16 characters or more."),
    SOURCE_GUESSABLE(
            ConfigPart.SOURCE,
            "guessable-path",
            "true or false",
            preset("false"),
            "Whether a path without a random part is accepted."),
    SOURCE_SCHEME(
            ConfigPart.SOURCE,
            "scheme",
            "stripe, github, slack, shopify, standard-webhooks or hmac",
            required(),
            "How the sender signs."),
    SOURCE_SECRETS(
            ConfigPart.SOURCE,
            "secrets",
            "one reference or a list",
            required(),
            "The secrets that the sender may sign with, at most 8. Two while a secret is replaced."),
    SOURCE_HMAC(
            ConfigPart.SOURCE, "hmac", "settings", words("required for scheme hmac"), "The header of the signature."),
    SOURCE_KEY(
            ConfigPart.SOURCE,
            "key",
            "a field, body-digest or settings",
            words("the scheme's own; required for hmac"),
            "What makes two webhooks the same event."),
    SOURCE_LANE(
            ConfigPart.SOURCE, "lane", "a field", words("no lane"), "Webhooks with the same text keep their order."),
    SOURCE_TENANT(
            ConfigPart.SOURCE,
            "tenant",
            "a field, or fixed:NAME",
            preset("fixed:default"),
            "Whose webhook it is. Take it from the body: headers and paths are not signed."),
    SOURCE_LARGEST_BODY(
            ConfigPart.SOURCE,
            "largest-body",
            "a size, at most 16MiB",
            words("1MiB, or what fits into the ledger"),
            "The largest body that is accepted."),
    SOURCE_TOLERANCE(
            ConfigPart.SOURCE,
            "tolerance",
            "a duration, 1s to 24h",
            preset("300s"),
            "How far a signed time may be from this server's clock."),
    SOURCE_HEADERS(
            ConfigPart.SOURCE,
            "headers",
            "a list of names",
            words("none"),
            "Headers that are kept with the webhook, beside the sender's usual ones."),
    SOURCE_VARYING(
            ConfigPart.SOURCE,
            "varying-fields",
            "a list of names",
            words("the scheme's own"),
            "Fields of the outermost JSON object that the sender changes between deliveries of one event."),
    SOURCE_POLICY(
            ConfigPart.SOURCE,
            "policy",
            "the name of a policy",
            preset("webhook.inbox"),
            "The policy by which its webhooks are routed. It must remember them for as long as the sender redelivers."),

    HMAC_HEADER(ConfigPart.HMAC, "header", "a header name", required(), "The header with the signature."),
    HMAC_PREFIX(ConfigPart.HMAC, "prefix", "text", words("none"), "Text in front of the signature, such as sha256=."),
    HMAC_ENCODING(ConfigPart.HMAC, "encoding", "hex or base64", preset("hex"), "How the signature is written."),
    HMAC_ALGORITHM(ConfigPart.HMAC, "algorithm", "sha256 or sha512", preset("sha256"), "The hash of the HMAC."),

    KEY_ALL(ConfigPart.KEY, "all-of", "a list of fields", words("none"), "All these fields together are the key."),
    KEY_FIRST(ConfigPart.KEY, "first-of", "a list of keys", words("none"), "The first of these that the webhook has."),
    KEY_TEXT(
            ConfigPart.KEY,
            "text",
            "a field",
            words("none"),
            "For events without an id: the same text in the same scope, within a time, is the same event."),
    KEY_SCOPE(
            ConfigPart.KEY,
            "scope",
            "a field",
            words("required with text"),
            "Within what texts are compared, such as a conversation."),
    KEY_WITHIN(
            ConfigPart.KEY,
            "within",
            "a duration, 1s to 24h",
            words("required with text"),
            "How far apart duplicates may arrive."),

    TOPIC_POLICY(
            ConfigPart.TOPIC,
            "policy",
            "the name of a policy",
            preset("webhook.inbox"),
            "The policy by which its messages are routed. While it remembers a message, the same key is a duplicate."),

    DESTINATION_URL(
            ConfigPart.DESTINATION,
            "url",
            "a URL",
            required(),
            "Where webhooks are sent by POST: https, or http where it is allowed; without user info and fragment."),
    DESTINATION_POLICY(
            ConfigPart.DESTINATION,
            "policy",
            "the name of a policy",
            preset("http.client"),
            "How often a delivery is tried, and with which pauses."),
    DESTINATION_ORDER(
            ConfigPart.DESTINATION,
            "order",
            "lane or none",
            preset("lane"),
            "Whether webhooks of one lane are delivered one at a time, in their order."),
    DESTINATION_CONCURRENCY(
            ConfigPart.DESTINATION, "concurrency", "1 to 10000", preset("16"), "Deliveries at once on this node."),
    DESTINATION_PER_TENANT(
            ConfigPart.DESTINATION,
            "per-tenant",
            "1 up to concurrency",
            words("as concurrency"),
            "Of these, at most so many for one tenant."),
    DESTINATION_RATE_LIMIT(
            ConfigPart.DESTINATION,
            "rate-limit",
            "such as 50/s or 1000/min, or settings",
            words("no limit"),
            "Deliveries begun by all nodes together."),
    DESTINATION_BREAKER(
            ConfigPart.DESTINATION,
            "breaker",
            "usual, none or settings",
            preset("none"),
            "When deliveries pause because they keep failing. usual: half of the last 100 failed, for 30s."),
    DESTINATION_HEADERS(
            ConfigPart.DESTINATION,
            "headers",
            "values by name",
            words("none"),
            "Headers of each delivery. Values of Authorization, Cookie, X-Api-Key and X-Auth-Token must come from variables or files."),
    DESTINATION_SIGNING(
            ConfigPart.DESTINATION,
            "signing",
            "one reference or a list",
            words("no signature"),
            "Secrets of Standard Webhooks (whsec_...), each of which signs; at most 8."),
    DESTINATION_TIMEOUT(
            ConfigPart.DESTINATION,
            "timeout",
            "a duration, 100ms to 10m",
            preset("15s"),
            "Timeout of one delivery; at most the attempt-timeout of its policy."),
    DESTINATION_ALLOW(
            ConfigPart.DESTINATION,
            "allow",
            "settings",
            words("HTTPS to public addresses"),
            "What deliveries may connect to besides."),
    DESTINATION_DISABLE_AFTER(
            ConfigPart.DESTINATION,
            "disable-after",
            "a duration of at least 1m, or never",
            preset("never"),
            "Time without a success after which a failing destination is switched off."),

    RATE_LIMIT_LIMIT(
            ConfigPart.RATE_LIMIT,
            "limit",
            "such as 50/s or 1000/min",
            required(),
            "Deliveries in a second (s), minute (min), hour (h) or day (d)."),
    RATE_LIMIT_BURST(
            ConfigPart.RATE_LIMIT, "burst", "1 up to the limit", words("as the limit"), "How many may begin at once."),
    RATE_LIMIT_PER_TENANT(
            ConfigPart.RATE_LIMIT,
            "per-tenant",
            "1 up to the limit",
            words("no such limit"),
            "Of these, at most so many for one tenant in the same time."),

    BREAKER_PERCENT(
            ConfigPart.BREAKER,
            "failure-percent",
            "1 to 100",
            preset("50"),
            "Share of failed deliveries at which it pauses."),
    BREAKER_CALLS(ConfigPart.BREAKER, "calls", "1 to 10000", preset("100"), "Number of last deliveries that count."),
    BREAKER_PAUSE(
            ConfigPart.BREAKER,
            "pause",
            "a duration, 1s to 24h",
            preset("30s"),
            "How long it pauses before a few deliveries are tried."),

    ALLOW_HTTP(ConfigPart.ALLOW, "http", "true or false", preset("false"), "Whether http URLs are allowed."),
    ALLOW_NETWORKS(
            ConfigPart.ALLOW,
            "networks",
            "a list such as 10.1.0.0/16 or fd00::/8",
            words("none"),
            "Private networks that deliveries may connect to."),

    ROUTE_FROM(ConfigPart.ROUTE, "from", "the name of a source or topic", required(), "Where they come from."),
    ROUTE_TO(
            ConfigPart.ROUTE,
            "to",
            "the name of a destination, or a list",
            required(),
            "Where they go. A destination gets each webhook at most once, however many routes lead to it."),
    ROUTE_WHEN(ConfigPart.ROUTE, "when", "a list of conditions", words("every webhook"), "All of these must hold."),

    CONDITION_JSON(ConfigPart.CONDITION, "json", "a JSON pointer", required(), "Where the value is, such as /type."),
    CONDITION_EQUALS(
            ConfigPart.CONDITION,
            "equals",
            "text",
            words("none"),
            "The value is this. One of equals, in, exists and prefix is required."),
    CONDITION_IN(ConfigPart.CONDITION, "in", "a list of texts", words("none"), "The value is one of these."),
    CONDITION_EXISTS(ConfigPart.CONDITION, "exists", "true or false", words("none"), "Whether there is a value."),
    CONDITION_PREFIX(ConfigPart.CONDITION, "prefix", "text", words("none"), "The value is text that begins so."),

    TOKEN_SECRET(
            ConfigPart.TOKEN,
            "secret",
            "a reference",
            required(),
            "What the client sends in Authorization: Bearer, 20 to 512 random characters. It must come from a variable or a file."),
    TOKEN_TENANT(
            ConfigPart.TOKEN, "tenant", "a name", required(), "The tenant of all that this client does and can see."),
    TOKEN_SCOPES(
            ConfigPart.TOKEN,
            "scopes",
            "a list of scopes",
            required(),
            "What it allows: run, send, or for some names only send:orders or run:billing.*."),

    USER_SECRETS(
            ConfigPart.USER,
            "secrets",
            "one reference or a list",
            required(),
            "What this operator sends, 20 to 512 random characters. At most 8; two while a secret is replaced."),
    USER_ROLE(ConfigPart.USER, "role", "viewer, operator or admin", required(), "What this operator may do."),
    USER_TENANT(ConfigPart.USER, "tenant", "a name", words("required, or all-tenants"), "Whose records are visible."),
    USER_ALL(ConfigPart.USER, "all-tenants", "true or false", preset("false"), "Whether those of all tenants are."),

    OIDC_ISSUER(ConfigPart.OIDC, "issuer", "a URL", required(), "The provider, exactly as its tokens name it in iss."),
    OIDC_AUDIENCE(
            ConfigPart.OIDC, "audience", "a text or a list", required(), "A token must be for one of these (aud)."),
    OIDC_JWKS(ConfigPart.OIDC, "jwks-url", "a URL", words("as the issuer tells"), "Where the provider's keys are."),
    OIDC_ALGORITHMS(
            ConfigPart.OIDC,
            "algorithms",
            "a list",
            words("RS256, PS256 and ES256"),
            "How tokens may be signed: RS, PS or ES with 256, 384 or 512. Never none or HS."),
    OIDC_TOLERANCE(ConfigPart.OIDC, "tolerance", "a duration, 0s to 5m", preset("60s"), "How far clocks may differ."),
    OIDC_NAME(ConfigPart.OIDC, "name-claim", "a claim", preset("sub"), "The name for the audit."),
    OIDC_ROLES_CLAIM(
            ConfigPart.OIDC,
            "role-claim",
            "a claim",
            preset("roles"),
            "The claim that is looked up in roles: a list, or words in a text."),
    OIDC_TENANT_CLAIM(ConfigPart.OIDC, "tenant-claim", "a claim", words("none"), "The tenant, for roles without one."),
    OIDC_ROLES(
            ConfigPart.OIDC,
            "roles",
            "settings by value",
            required(),
            "What each value of the role claim allows. The first one that a token has is used."),
    OIDC_HTTP(
            ConfigPart.OIDC,
            "loopback-http",
            "true or false",
            preset("false"),
            "Whether http to this machine is allowed."),

    OIDC_ROLE_ROLE(ConfigPart.OIDC_ROLE, "role", "viewer, operator or admin", required(), "What they may do."),
    OIDC_ROLE_TENANT(
            ConfigPart.OIDC_ROLE, "tenant", "a name", words("that of tenant-claim"), "Whose records are visible."),
    OIDC_ROLE_ALL(
            ConfigPart.OIDC_ROLE, "all-tenants", "true or false", preset("false"), "Whether those of all tenants are."),

    SESSIONS_IDLE(ConfigPart.SESSIONS, "idle", "a duration, 1m to 24h", preset("30m"), "When an unused session ends."),
    SESSIONS_LONGEST(ConfigPart.SESSIONS, "longest", "a duration, 5m to 7d", preset("12h"), "When every session ends."),
    SESSIONS_PER_USER(
            ConfigPart.SESSIONS,
            "per-user",
            "1 to 100",
            preset("10"),
            "Sessions of one operator; one more ends the oldest."),
    SESSIONS_COOKIES(
            ConfigPart.SESSIONS,
            "cookies",
            "tls or always-secure",
            preset("tls"),
            "When cookies are Secure: if this server serves TLS, or always, for a proxy with TLS in front of it."),
    CHANNEL_POLICY(
            ConfigPart.CHANNEL,
            "policy",
            "the name of a policy",
            preset("default"),
            "How often and when a failed message is handled again, how long it is kept, and whether a dead one holds up its lane"
                    + " (dead-head)."),
    CHANNEL_ORDER(
            ConfigPart.CHANNEL,
            "order",
            "lane or none",
            preset("lane"),
            "Whether messages that are sent to a lane are handled in its order; with none lanes are ignored."),
    CHANNEL_INTERRUPTED(
            ConfigPart.CHANNEL,
            "interrupted",
            "repeat or park",
            preset("repeat"),
            "What becomes of a message whose lease expired: it is handled again, or it is UNKNOWN until somebody decides.");

    private final SettingText text;

    ConfigSetting(ConfigPart part, String key, String form, UnsetSetting unset, String meaning) {
        this.text = new SettingText(part, key, form, unset, meaning);
    }

    @Override
    public SettingText text() {
        return text;
    }
}
