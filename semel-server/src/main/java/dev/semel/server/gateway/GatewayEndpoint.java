package dev.semel.server.gateway;

import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.http.Hooks;
import dev.semel.http.HttpSettings;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.IdempotentExchange;
import dev.semel.http.KeyScope;
import dev.semel.http.Level;
import dev.semel.http.Rule;
import dev.semel.key.Keys;
import dev.semel.server.access.Access;
import dev.semel.server.access.Caller;
import dev.semel.server.access.Scope;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.GatewayConfig.KeyedRequests;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One API behind the gateway. In order: method and path, the caller, the number of requests at once, then the filter, then the API.
 * Thread-safe.
 */
public final class GatewayEndpoint extends HttpServlet implements AutoCloseable {
    private static final long serialVersionUID = 1;
    private static final Set<String> KEYED = Set.of("POST", "PUT", "PATCH", "DELETE");
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final String CALLER = GatewayEndpoint.class.getName() + ".caller";

    /** Below the path of a gateway: the status of requests. */
    static final String STATUS = "/.semel/requests";

    private final transient GatewayConfig config;
    private final transient Access access;
    private final transient UpstreamClient client;
    private final transient IdempotencyFilter filter;
    private final transient Semaphore permits;
    private final transient UpgradedConnections upgraded;

    private GatewayEndpoint(GatewayConfig config, Access access, UpstreamClient client, IdempotencyFilter filter) {
        this.config = config;
        this.access = access;
        this.client = client;
        this.filter = filter;
        this.permits = new Semaphore(config.limits().requests());
        this.upgraded = new UpgradedConnections(config.upstream().upgrades(), client.scheduler());
    }

    /** Declares the operations of the API to the engine, and its probe. The engine is to be closed first. */
    public static GatewayEndpoint open(GatewayConfig config, Engine engine, Access access) {
        UpstreamClient client = UpstreamClient.start(config);
        try {
            HttpSettings settings = IdempotencyFilter.on(engine)
                    .withScope(request -> scope(config, request))
                    .withStatusResource(config.path() + STATUS);
            if (config.rule().repeatable()) {
                settings.withEffects(Hooks.Effects.ONLY_MARKED);
            }
            List<String> operations = new ArrayList<>();
            for (String template : config.rule().templates()) {
                for (String method : KEYED) {
                    settings.withRoute(method, config.path() + template, rule(config));
                    operations.add(method + " " + config.path() + template);
                }
            }
            IdempotencyFilter filter = settings.build();
            String probe = config.rule().probe();
            if (probe != null) {
                UpstreamProbe reconciler = new UpstreamProbe(config, client, probe);
                operations.forEach(name -> engine.reconcile(operation(name, config.rule()), reconciler));
            }
            return new GatewayEndpoint(config, access, client, filter);
        } catch (RuntimeException | Error e) {
            client.close();
            throw e;
        }
    }

    /** As the filter declares it. */
    private static Operation.Leased<byte[], byte[]> operation(String name, KeyedRequests rule) {
        return Operation.leased(name, byte[].class, byte[].class).withPolicy(rule.policy());
    }

    /** At MARKER an interrupted request runs again unless a mark says that it is done: nothing marks those of a repeatable API. */
    private static Rule rule(GatewayConfig config) {
        KeyedRequests keyed = config.rule();
        return (keyed.required() ? Rule.required() : Rule.optional())
                .withLevel(keyed.repeatable() ? Level.MARKER : Level.PLAIN)
                .withPolicy(keyed.policy())
                .withLargestRequest(config.limits().requestBytes())
                .withLargestKeptResponse(config.limits().responseBytes())
                .withLargestHeldResponse(UpstreamCall.MOST_HELD)
                .withHeldStreams();
    }

    /** Whether a request is for this API. */
    public boolean serves(String path) {
        return path.equals(config.path()) || path.startsWith(config.path() + "/");
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        GatewayProblem problem = malformed(request);
        if (problem == null) {
            problem = admit(request, response);
        }
        if (problem != null) {
            problem.send(request, response);
        } else if (!permits.tryAcquire()) {
            response.setHeader("Retry-After", "1");
            GatewayProblem.BUSY.send(request, response);
        } else {
            try {
                if (UpgradeCall.isUpgrade(config, request)) {
                    new UpgradeCall(config, request, response).run(client, String.valueOf(target(request)), upgraded);
                } else {
                    filter.doFilter(
                            request,
                            response,
                            (passed, answer) -> pass((HttpServletRequest) passed, (HttpServletResponse) answer));
                }
            } finally {
                permits.release();
            }
        }
    }

    private @Nullable GatewayProblem malformed(HttpServletRequest request) {
        boolean keyed = KEYED.contains(request.getMethod());
        if (!keyed && !READING.contains(request.getMethod())) {
            return GatewayProblem.METHOD_NOT_ALLOWED;
        }
        if (target(request) == null) {
            return GatewayProblem.BAD_PATH;
        }
        if (!keyed && UpstreamCall.hasBody(request)) {
            return GatewayProblem.BODY_NOT_ALLOWED;
        }
        // An offer of HTTP/2 may be ignored, as all hop-by-hop headers are.
        return UpgradeCall.isUpgrade(config, request)
                        || Collections.list(request.getHeaders("Upgrade")).stream()
                                .allMatch(value ->
                                        value.strip().toLowerCase(Locale.ROOT).equals("h2c"))
                ? null
                : GatewayProblem.UPGRADE_REFUSED;
    }

    private @Nullable String target(HttpServletRequest request) {
        return TargetPath.of(request, config.path(), config.upstream().url().getRawPath());
    }

    private @Nullable GatewayProblem admit(HttpServletRequest request, HttpServletResponse response) {
        if (config.callers().open() != null) {
            return null;
        }
        Access.Authentication who = access.authenticate(request);
        if (who instanceof Access.Authentication.Authenticated known) {
            request.setAttribute(CALLER, known.caller());
            return known.caller().may(Scope.Right.RUN, "gateway." + config.name()) ? null : GatewayProblem.FORBIDDEN;
        }
        if (who instanceof Access.Authentication.TooManyFailures failures) {
            response.setHeader(
                    "Retry-After",
                    Long.toString(Math.max(1, failures.retryAfter().toSeconds())));
            return GatewayProblem.RATE_LIMITED;
        }
        response.setHeader("WWW-Authenticate", "Bearer");
        return GatewayProblem.UNAUTHENTICATED;
    }

    /** Of an open gateway: the hash of the credentials that the API will check. Without credentials there is no scope. */
    private static Optional<KeyScope> scope(GatewayConfig config, HttpServletRequest request) {
        Tenant open = config.callers().open();
        if (open == null) {
            return Optional.ofNullable((Caller) request.getAttribute(CALLER))
                    .map(caller -> KeyScope.of(caller.tenant(), caller.name()));
        }
        List<String> credentials = Collections.list(request.getHeaders("Authorization"));
        return credentials.size() == 1 && !credentials.get(0).isBlank()
                ? Optional.of(KeyScope.of(
                        open, Keys.contentHash(credentials.get(0).strip()).text()))
                : Optional.empty();
    }

    private void pass(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean bare = KEYED.contains(request.getMethod())
                && IdempotentExchange.of(request).isEmpty();
        if (bare && request.getContentLengthLong() < 0 && UpstreamCall.hasBody(request)) {
            GatewayProblem.LENGTH_REQUIRED.send(request, response);
        } else if (bare && request.getContentLengthLong() > config.limits().requestBytes()) {
            GatewayProblem.TOO_LARGE.send(request, response);
        } else {
            new UpstreamCall(config, request, response).run(client, String.valueOf(target(request)));
        }
    }

    /** Closes the upgraded connections, and passes no more upgrades on. */
    public void closeUpgraded() {
        upgraded.close();
    }

    /** Closes the connections to the API. */
    @Override
    public void close() {
        upgraded.close();
        client.close();
    }
}
