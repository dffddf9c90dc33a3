package dev.semel.http;

import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.GatewayRuns;
import dev.semel.http.shared.RequestIds;
import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Builds an {@link IdempotencyFilter}; {@link #build} rejects contradictory and double settings and names all of them at once. */
public final class HttpSettings {
    /** Includes the encoding, because a handler may have compressed the body. */
    private static final List<String> REPLAYED = List.of(
            "Content-Type", "Content-Encoding", "Content-Language", "ETag", "Location", "Link", RequestIds.CORRELATION);

    /** Headers of one moment, one connection or one caller: never replayed. */
    private static final Set<String> NEVER = Set.of(
            "set-cookie",
            "set-cookie2",
            "authorization",
            "www-authenticate",
            "date",
            "age",
            "content-length",
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "x-request-id");

    private final Semel semel;
    private final RouteTable.Builder routes = new RouteTable.Builder();
    private final List<String> replayed = new ArrayList<>(REPLAYED);
    private final Set<String> set = new HashSet<>();
    private final List<String> faults = new ArrayList<>();
    private Rule usual = Rule.required();
    private Hooks.@Nullable Scopes scopes;
    private @Nullable Function<HttpServletRequest, @Nullable String> tenants;
    private @Nullable Function<Principal, @Nullable String> issuers;
    private boolean principals = true;
    private boolean anonymous;
    private boolean logOnly;
    private Hooks.@Nullable Routes application;
    private Hooks.@Nullable RequestRules changes;
    private Hooks.@Nullable Origins origins;
    private Hooks.@Nullable RateLimit rateLimit;
    private Hooks.@Nullable Authorization authorization;
    private Hooks.@Nullable Errors errors;
    private Hooks.@Nullable Exceptions exceptions;
    private Hooks.@Nullable Effects effects;
    private Hooks.@Nullable StatusLink statusLink;
    private @Nullable String statusPath;
    private boolean cancels;
    private Hooks.@Nullable FirstCommit firstCommit;
    private Hooks.Logs logs = HttpSettings::inMdc;
    private Supplier<String> ids = () -> UUID.randomUUID().toString();
    private TimeSource time = TimeSource.system();
    private @Nullable URI ietf;

    HttpSettings(Semel semel) {
        this.semel = semel;
    }

    /**
     * The tenant of a caller. Take it from the principal, a verified token or the host name, never from a value that the caller
     * can choose. Null or an empty name rejects the request.
     */
    public HttpSettings withTenant(Function<HttpServletRequest, @Nullable String> tenant) {
        once("tenant");
        tenants = tenant;
        return this;
    }

    /** For a service that has one tenant only. */
    public HttpSettings withSingleTenant() {
        return withTenant(request -> Tenant.SINGLE.name());
    }

    /**
     * The issuer of a principal's token: the same name from two issuers is two principals. Null where there is only one issuer.
     */
    public HttpSettings withIssuer(Function<Principal, @Nullable String> issuer) {
        once("issuer");
        issuers = issuer;
        return this;
    }

    /** All callers of a tenant share one key scope. */
    public HttpSettings withoutPrincipal() {
        once("principal");
        principals = false;
        return this;
    }

    /**
     * Accepts unauthenticated requests: those of one tenant share one key scope. An authenticated caller keeps its own scope.
     */
    public HttpSettings withAnonymousCallers() {
        once("anonymous callers");
        anonymous = true;
        return this;
    }

    /** Replaces the scope of keys for all requests, also for unauthenticated ones. */
    public HttpSettings withScope(Hooks.Scopes value) {
        once("scope");
        scopes = value;
        return this;
    }

    /**
     * The rule of a route.
     *
     * @param template such as {@code /projects/{project}/missions/{id}}, or {@code /files/**}; of several that match, the one
     *     that is literal earlier wins
     */
    public HttpSettings withRoute(String method, String template, Rule rule) {
        routes.add(method, template, rule);
        return this;
    }

    /** The rule of all other POST, PUT, PATCH and DELETE requests; {@link Rule#required} unless set. */
    public HttpSettings withDefault(Rule rule) {
        once("default rule");
        usual = rule;
        return this;
    }

    /**
     * For a first roll-out: all routes are log-only ({@link Rule#withLogOnly}), whatever their rules say, except those whose rule a
     * framework finds.
     */
    public HttpSettings withLogOnly() {
        once("log-only");
        logOnly = true;
        return this;
    }

    /** Lets a framework find the route of a request. */
    public HttpSettings withRoutes(Hooks.Routes value) {
        once("routes of the application");
        application = value;
        return this;
    }

    /** Changes the rules of single requests. */
    public HttpSettings withRequestRules(Hooks.RequestRules value) {
        once("request rules");
        changes = value;
        return this;
    }

    /** For CORS that is handled behind the filter. Not needed where a filter in front of it handles CORS. */
    public HttpSettings withOrigins(Hooks.Origins value) {
        once("origins");
        origins = value;
        return this;
    }

    /** Rejects callers that send too much, with 429; none unless set. */
    public HttpSettings withRateLimit(Hooks.RateLimit value) {
        once("rate limit");
        rateLimit = value;
        return this;
    }

    /** Checks a caller's rights before its record is read, where rights are otherwise checked behind the filter. */
    public HttpSettings withAuthorization(Hooks.Authorization value) {
        once("authorization");
        authorization = value;
        return this;
    }

    /** Further response headers that a replay repeats. */
    public HttpSettings withReplayedHeaders(String... names) {
        for (String name : names) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (NEVER.contains(lower) || lower.startsWith("access-control-")) {
                faults.add("the header " + name
                        + " cannot be replayed: it belongs to one moment, one connection or one caller");
            }
            if (replayed.stream().noneMatch(name::equalsIgnoreCase)) {
                replayed.add(name);
            }
        }
        return this;
    }

    /**
     * Follows draft-ietf-httpapi-idempotency-key-header: 422 for a key that was used for another request, quoted keys, and a link
     * to the page that documents them.
     */
    public HttpSettings withIetfProfile(URI documentation) {
        once("IETF profile");
        ietf = documentation;
        return this;
    }

    /** Writes the bodies of errors that handlers send with {@code sendError}. */
    public HttpSettings withErrors(Hooks.Errors value) {
        once("errors");
        errors = value;
        return this;
    }

    /** Classifies exceptions of handlers as rejections or version conflicts; all others are failures. */
    public HttpSettings withExceptions(Hooks.Exceptions value) {
        once("exceptions");
        exceptions = value;
        return this;
    }

    /**
     * Watches handlers at the level MARKER for unmarked effects. Without it the failure of such a handler is UNKNOWN, unless the
     * handler calls {@link IdempotentExchange#noEffect}.
     */
    public HttpSettings withEffects(Hooks.Effects value) {
        once("effects");
        effects = value;
        return this;
    }

    /** Tells clients where they find the outcome of a request that is UNKNOWN; no link unless set. */
    public HttpSettings withStatusLink(Hooks.StatusLink value) {
        once("status link");
        statusLink = value;
        return this;
    }

    /**
     * Serves the status of requests below a path, to the caller who sent them: {@code GET path/{record id}}. Problems that are
     * about such a request link to it. It is served in front of the application, behind authentication, like every request
     * under a key; not unless set.
     *
     * @param path within the application, such as {@code /requests}; no handler below it is reached any more
     */
    public HttpSettings withStatusResource(String path) {
        once("status resource");
        if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
            faults.add("\"" + path + "\" is not the path of a status resource: use one such as /requests");
        }
        statusPath = path;
        return this;
    }

    /**
     * Lets callers cancel their own requests that wait for a retry: {@code POST path/{record id}/cancel} with a JSON object that
     * has a {@code reason}. Needs {@link #withStatusResource}.
     */
    public HttpSettings withCancellation() {
        once("cancellation");
        cancels = true;
        return this;
    }

    /** Replaces the default, which puts {@code correlation_id} and {@code request_id} into SLF4J's MDC. */
    public HttpSettings withLogs(Hooks.Logs value) {
        once("logs");
        logs = value;
        return this;
    }

    /** Calls the hook after a request took effect, and never for a replay. */
    public HttpSettings afterFirstCommit(Hooks.FirstCommit value) {
        once("after first commit");
        firstCommit = value;
        return this;
    }

    /** Generates correlation and request ids that the caller did not send; random UUIDs unless set. */
    public HttpSettings withIds(Supplier<String> value) {
        once("ids");
        ids = value;
        return this;
    }

    /** The clock of time-outs and pauses, for tests; the system's unless set. */
    public HttpSettings withTime(TimeSource value) {
        once("time");
        time = value;
        return this;
    }

    /** @throws SemelException.Misconfigured naming every fault */
    public IdempotencyFilter build() {
        List<String> all = new ArrayList<>(faults);
        all.addAll(routes.faults());
        if (scopes == null && tenants == null) {
            all.add("the scope of idempotency keys is not defined: use withTenant(...), withSingleTenant() or"
                    + " withScope(...)");
        }
        if (scopes != null && (tenants != null || !principals || anonymous || issuers != null)) {
            all.add("withScope(...) excludes the tenant, principal, issuer and anonymous settings: remove them, or"
                    + " remove withScope(...)");
        }
        if (cancels && statusPath == null) {
            all.add("withCancellation() needs the path of the status resource: add withStatusResource(...)");
        }
        if (statusPath != null && statusLink != null) {
            all.add(
                    "withStatusLink(...) and withStatusResource(...) both say where a status is found: keep one of them");
        }
        if (!(semel instanceof Engine)) {
            all.add("the filter needs the engine that Semel.open(...) returns, not a wrapper around it");
        }
        if (!all.isEmpty()) {
            throw new SemelException.Misconfigured("the idempotency filter", all);
        }
        Engine engine = (Engine) semel;
        GatewayRuns gatewayRuns = engine.gatewayRuns();
        StatusResource status = statusPath == null ? null : new StatusResource(engine.operator(), statusPath, cancels);
        RouteTable table = routes.build(usual, logOnly);
        declare(gatewayRuns, table);
        return new IdempotencyFilter(new FilterSetup(
                gatewayRuns,
                new FilterSetup.Routing(
                        table, application, changes, new RouteBreakers(time), ConcurrentHashMap.newKeySet()),
                new FilterSetup.Admission(
                        origins, rateLimit, scopes != null ? scopes : this::ofCaller, authorization, ietf != null),
                new FilterSetup.Failures(exceptions, effects),
                new FilterSetup.Responses(new Problems(ietf, statusLink, status), List.copyOf(replayed), errors),
                new FilterSetup.Tracking(logs, ids, time, firstCommit)));
    }

    /** Declares the operations at the start, so that runs of an earlier process are found and a missing policy is reported. */
    private static void declare(GatewayRuns gatewayRuns, RouteTable table) {
        table.each((operation, rule) -> {
            if (rule.key() != Rule.KeyUse.OFF && rule.level() != Level.SPAN) {
                gatewayRuns.declare(leased(operation, rule));
            }
        });
    }

    static Operation.Atomic<byte[], byte[]> atomic(String name, Rule rule) {
        Operation.Atomic<byte[], byte[]> operation =
                Operation.atomic(name, byte[].class, byte[].class).withPolicy(rule.policy());
        for (String label : rule.labels()) {
            operation = operation.withLabel(label);
        }
        return operation;
    }

    static Operation.Leased<byte[], byte[]> leased(String name, Rule rule) {
        Operation.Leased<byte[], byte[]> operation =
                Operation.leased(name, byte[].class, byte[].class).withPolicy(rule.policy());
        for (String label : rule.labels()) {
            operation = operation.withLabel(label);
        }
        return rule.level() == Level.MARKER ? operation.asRepeatable() : operation;
    }

    private Optional<KeyScope> ofCaller(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        if (principal == null) {
            return anonymous ? Optional.of(KeyScope.of(tenant(request))) : Optional.empty();
        }
        if (principal.getName() == null || principal.getName().isEmpty()) {
            // Without a name the keys of this caller cannot be separated from those of others.
            return Optional.empty();
        }
        Tenant tenant = tenant(request);
        if (!principals) {
            return Optional.of(KeyScope.of(tenant));
        }
        KeyScope scope = KeyScope.of(tenant, principal.getName());
        String issuer = issuers == null ? null : issuers.apply(principal);
        return Optional.of(issuer == null ? scope : scope.withIssuer(issuer));
    }

    private Tenant tenant(HttpServletRequest request) {
        return tenant(tenants == null ? null : tenants.apply(request));
    }

    /** @throws IdempotencyFilter.NoTenant when the name is missing or not valid */
    private static Tenant tenant(@Nullable String name) {
        if (name == null || name.isBlank()) {
            throw new IdempotencyFilter.NoTenant();
        }
        try {
            return Tenant.of(name);
        } catch (SemelException.Invalid e) {
            throw new IdempotencyFilter.NoTenant();
        }
    }

    private static Hooks.Logs.LogContext inMdc(String correlationId, String requestId) {
        var correlation = MDC.putCloseable("correlation_id", correlationId);
        var request = MDC.putCloseable("request_id", requestId);
        return () -> {
            request.close();
            correlation.close();
        };
    }

    private void once(String setting) {
        if (!set.add(setting)) {
            faults.add(setting + " is set twice: keep one of the two");
        }
    }
}
