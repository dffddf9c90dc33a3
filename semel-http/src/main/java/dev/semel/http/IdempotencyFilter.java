package dev.semel.http;

import dev.semel.Answer.Next;
import dev.semel.Semel;
import dev.semel.http.Problems.Problem;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers a request that is sent again as it was answered first. Placed behind authentication and in front of the handler, for
 * the dispatcher types REQUEST and ASYNC, with asynchronous support on. Thread-safe.
 *
 * <p>In order: origin, rate limit, scope, key, body, record, handler. No byte of a response leaves before its record is finished. GET,
 * HEAD, OPTIONS and everything else that is not POST, PUT, PATCH or DELETE passes untouched, and never needs the store.
 */
public final class IdempotencyFilter implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

    /** Of a request that came without a key. */
    private static final String BARE = IdempotencyFilter.class.getName() + ".bare";

    private final Config config;
    private final AtomicBoolean saidWhoIsMissing = new AtomicBoolean();

    IdempotencyFilter(Config config) {
        this.config = config;
    }

    /** Starts a filter on an engine, which stays the caller's to close. */
    public static HttpSettings on(Semel semel) {
        return new HttpSettings(semel);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse to)) {
            chain.doFilter(request, response);
            return;
        }
        Handling known = Handling.of(http);
        if (known != null && http.getDispatcherType() == DispatcherType.ASYNC) {
            known.resume(request, response, chain);
        } else if (http.getDispatcherType() == DispatcherType.ASYNC && http.getAttribute(BARE) != null) {
            passOn(http, to, chain);
        } else if (known != null || http.getDispatcherType() != DispatcherType.REQUEST) {
            chain.doFilter(request, response);
        } else {
            Ids ids = Ids.of(http, to, config.following().ids());
            Hooks.Logs.Entered entered = config.following().logs().enter(ids.correlation(), ids.request());
            try {
                admit(http, to, chain, ids);
            } finally {
                entered.close();
            }
        }
    }

    private void admit(HttpServletRequest request, HttpServletResponse response, FilterChain chain, Ids ids)
            throws IOException, ServletException {
        if (!KeyHeader.METHODS.contains(request.getMethod())) {
            chain.doFilter(request, response);
            return;
        }
        RouteTable.Match match =
                config.routing().table().match(request, config.routing().application());
        List<String> keys = Collections.list(request.getHeaders(KeyHeader.NAME));
        boolean bare = keys.isEmpty() && match.rule().key() == Rule.KeyUse.OPTIONAL;
        if (match.rule().key() == Rule.KeyUse.OFF) {
            chain.doFilter(request, response);
            return;
        }
        Hooks.Origins origins = config.admission().origins();
        if (origins != null && !origins.admits(request, response)) {
            return;
        }
        Admitted admitted = new Admitted(config, request);
        Problem refusal = bare ? admitted.refusalWithoutKey() : admitted.refusal(keys);
        if (bare && refusal == null) {
            request.setAttribute(BARE, true);
            passOn(request, response, chain);
            return;
        }
        if (refusal != null) {
            if (refusal.code() == ProblemCode.UNAUTHENTICATED && saidWhoIsMissing.compareAndSet(false, true)) {
                LOG.warn(
                        "{}: rejected with 401: the request is not authenticated; idempotency keys are scoped to the"
                                + " caller. Place the filter behind authentication, or define the scope:"
                                + " HttpSettings.withScope, or in Spring Boot a Hooks.Scopes bean or"
                                + " semel.http.anonymous=true. Logged once.",
                        match.operation());
            }
            config.answering().problems().write(request, response, ids, refusal);
            return;
        }
        new Handling(config, new Handling.Asked(request, response, ids, match), admitted).run(chain);
    }

    /** Runs a request that came without a key. Exceptions that have an answer get the same as under a key. */
    private void passOn(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        EarlierHeaders before = EarlierHeaders.of(response);
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            Problem problem = Thrown.of(e, config.judging().exceptions()).problem();
            if (problem == null || response.isCommitted()) {
                throw e;
            }
            response.reset();
            before.restore(response);
            write(request, response, problem);
        }
    }

    /**
     * For a framework whose handler has thrown, on a route that the filter lets pass: answers Semel's own exceptions that have an
     * answer ({@link VersionMismatch}, {@code SemelException.NoResult}) as it does under a key.
     *
     * @return false when the exception has none, or is the filter's to answer
     */
    public boolean answers(HttpServletRequest request, HttpServletResponse response, Throwable thrown)
            throws IOException {
        Problem problem = Exchange.of(request).isPresent() ? null : Nested.of(thrown);
        if (problem == null || response.isCommitted()) {
            return false;
        }
        response.resetBuffer();
        write(request, response, problem);
        return true;
    }

    private void write(HttpServletRequest request, HttpServletResponse response, Problem problem) throws IOException {
        Ids ids = Ids.of(request, response, config.following().ids());
        config.answering().problems().write(request, response, ids, problem);
    }

    /**
     * For a framework that is about to run a handler: whether it may. A request that needs a key, or brings one, must have come
     * through this filter, and the filter must have known its route; it does not where another filter rewrites or forwards the
     * request behind it, or where a part of the application has routes of its own. Such a request is answered here and must not
     * be run: nothing would keep it from running twice.
     *
     * @param route the handler's own; absent where it has none, and the filter's routes apply
     * @return false when the request has been answered
     */
    public boolean mayRun(HttpServletRequest request, HttpServletResponse response, Hooks.Routes.@Nullable Found route)
            throws IOException {
        if (!KeyHeader.METHODS.contains(request.getMethod())
                || Exchange.of(request).isPresent()) {
            return true;
        }
        RouteTable table = config.routing().table();
        RouteTable.Match match = route == null ? table.match(request, null) : table.match(request.getMethod(), route);
        boolean unprotected = switch (match.rule().key()) {
            case REQUIRED -> true;
            case OPTIONAL -> request.getHeader(KeyHeader.NAME) != null;
            case OFF -> false;
        };
        if (!unprotected) {
            return true;
        }
        LOG.error(
                "{}: rejected and not run: the request reached its handler without passing the Idempotency-Key filter"
                        + " under its own route (path {}). Place the filter behind all filters that rewrite or forward"
                        + " requests, or exempt the route with Rule.off().",
                match.operation(),
                request.getRequestURI());
        write(
                request,
                response,
                Problem.of(
                        ProblemCode.NOT_PROTECTED,
                        "Rejected and not run: the request bypassed the idempotency filter, so a retry could run it"
                                + " twice. The service is misconfigured.",
                        Next.CONTACT));
        return false;
    }

    /** For a framework: how requests of a route are treated. */
    public Rule rule(String method, Hooks.Routes.Found route) {
        return config.routing().table().match(method, route).rule();
    }

    /** Whether responses of a media type are to be read while they are written, which those under a key cannot be. */
    public static boolean isStream(String mediaType) {
        return HeldResponse.isStream(mediaType);
    }

    /** Who asks, and under which key; or why not. */
    static final class Admitted {
        private final Config config;
        private final HttpServletRequest request;
        private @Nullable Scope scope;
        private @Nullable String key;

        Admitted(Config config, HttpServletRequest request) {
            this.config = config;
            this.request = request;
        }

        private @Nullable Problem rateLimited() {
            Hooks.RateLimit limit = config.admission().rateLimit();
            Optional<Duration> wait = limit == null ? Optional.empty() : limit.refusal(request);
            return wait.isEmpty()
                    ? null
                    : Problem.of(
                                    ProblemCode.RATE_LIMITED,
                                    "Rejected: rate limit exceeded. Retry after the time in Retry-After.",
                                    Next.RETRY)
                            .retryAfter(wait.get());
        }

        private @Nullable Problem forbidden(Scope caller) {
            Hooks.Authorization authorization = config.admission().authorization();
            return authorization == null || authorization.allows(request, caller)
                    ? null
                    : Problem.of(ProblemCode.FORBIDDEN, "Rejected: the caller is not authorized to send this"
                            + " request.", Next.CONTACT);
        }

        /** Without a key nobody need be known: the authorization is asked about those who are. */
        @Nullable
        Problem refusalWithoutKey() {
            Problem limited = rateLimited();
            if (limited != null || config.admission().authorization() == null) {
                return limited;
            }
            try {
                Scope caller = config.admission().scopes().of(request).orElse(null);
                return caller == null ? null : forbidden(caller);
            } catch (NoTenant e) {
                return null;
            }
        }

        @Nullable
        Problem refusal(List<String> keys) {
            Problem limited = rateLimited();
            if (limited != null) {
                return limited;
            }
            try {
                scope = config.admission().scopes().of(request).orElse(null);
            } catch (NoTenant e) {
                return Problem.of(
                        ProblemCode.NO_TENANT,
                        "Rejected: the tenant of the caller is unknown. Nothing was run.",
                        Next.CONTACT);
            }
            if (scope == null) {
                return Problem.of(
                        ProblemCode.UNAUTHENTICATED,
                        "Rejected: the request is not authenticated; idempotency keys are scoped to the caller."
                                + " Authenticate and retry.",
                        Next.CONTACT);
            }
            Problem forbidden = forbidden(scope);
            return forbidden != null ? forbidden : keyed(keys);
        }

        private @Nullable Problem keyed(List<String> keys) {
            if (keys.isEmpty()) {
                return Problem.of(
                        ProblemCode.KEY_REQUIRED,
                        "Send the header Idempotency-Key: a new key for each request, the same key for its retries.");
            }
            String given = keys.size() > 1 ? null : keys.get(0);
            key = config.admission().quotedKeys() ? Quoted.unquoted(given) : given;
            return KeyHeader.isValid(key)
                    ? null
                    : Problem.of(
                            ProblemCode.KEY_INVALID,
                            keys.size() > 1
                                    ? "Rejected: the header Idempotency-Key was sent more than once. Send it once."
                                    : "Rejected: an idempotency key must have 1 to 128 visible ASCII characters.");
        }

        Scope scope() {
            return Objects.requireNonNull(scope);
        }

        String key() {
            return Objects.requireNonNull(key);
        }
    }

    /** Nobody can tell which tenant the caller belongs to. */
    static final class NoTenant extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoTenant() {
            super(null, null, false, false);
        }
    }
}
