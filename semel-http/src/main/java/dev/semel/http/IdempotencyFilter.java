package dev.semel.http;

import dev.semel.Answer.Next;
import dev.semel.Semel;
import dev.semel.http.Problems.Problem;
import dev.semel.http.shared.RequestIds;
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
 * Replays the first response to a retried request. Place it behind authentication and in front of the handler, for the
 * dispatcher types REQUEST and ASYNC, with asynchronous support on. Thread-safe.
 *
 * <p>In order: origin, rate limit, scope, key, body, record, handler. No byte of a response is sent before its record is finished.
 * Methods other than POST, PUT, PATCH and DELETE pass untouched and never need the store, except for the status resource
 * ({@link HttpSettings#withStatusResource}).
 */
public final class IdempotencyFilter implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

    /** Request attribute of a request without a key. */
    private static final String BARE = IdempotencyFilter.class.getName() + ".bare";

    private final FilterSetup setup;
    private final AtomicBoolean loggedUnauthenticated = new AtomicBoolean();

    IdempotencyFilter(FilterSetup setup) {
        this.setup = setup;
    }

    /** Starts the settings of a filter on an engine. The caller closes the engine. */
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
        GuardedRequest known = GuardedRequest.of(http);
        if (known != null && http.getDispatcherType() == DispatcherType.ASYNC) {
            known.resume(request, response, chain);
        } else if (http.getDispatcherType() == DispatcherType.ASYNC && http.getAttribute(BARE) != null) {
            passOn(http, to, chain);
        } else if (known != null || http.getDispatcherType() != DispatcherType.REQUEST) {
            chain.doFilter(request, response);
        } else {
            RequestIds ids = RequestIds.of(http, setup.tracking().ids());
            Hooks.Logs.LogContext entered = setup.tracking().logs().enter(ids.correlation(), ids.request());
            try {
                admit(http, to, chain, ids);
            } finally {
                entered.close();
            }
        }
    }

    private void admit(HttpServletRequest request, HttpServletResponse response, FilterChain chain, RequestIds ids)
            throws IOException, ServletException {
        StatusResource status = setup.responses().status();
        if (status != null && status.serves(request)) {
            ids.show(response);
            if (isPreflight(request)) {
                preflight(request, response, chain);
            } else {
                show(status, request, response, ids);
            }
            return;
        }
        if (!KeyHeader.METHODS.contains(request.getMethod())) {
            ids.show(response);
            chain.doFilter(request, response);
            return;
        }
        RouteTable.Match match = setup.routing().match(request);
        if (match.rule().isLogOnly() && match.rule().key() != Rule.KeyUse.OFF) {
            new LogOnlyRequest(setup, new IncomingRequest(request, response, ids, match)).run(chain);
            return;
        }
        ids.show(response);
        List<String> keys = Collections.list(request.getHeaders(KeyHeader.NAME));
        boolean bare = keys.isEmpty() && match.rule().key() == Rule.KeyUse.OPTIONAL;
        if (match.rule().key() == Rule.KeyUse.OFF) {
            chain.doFilter(request, response);
            return;
        }
        Hooks.Origins origins = setup.admission().origins();
        if (origins != null && !origins.admits(request, response)) {
            return;
        }
        AdmissionCheck admitted = new AdmissionCheck(setup, request);
        Problem refusal = bare ? admitted.refusalWithoutKey() : admitted.refusal(keys);
        if (bare && refusal == null) {
            request.setAttribute(BARE, true);
            passOn(request, response, chain);
            return;
        }
        if (refusal != null) {
            if (refusal.code() == ProblemCode.UNAUTHENTICATED && loggedUnauthenticated.compareAndSet(false, true)) {
                LOG.warn(
                        "{}: rejected with 401: the request is not authenticated; idempotency keys are scoped to the"
                                + " caller. Place the filter behind authentication, or define the scope:"
                                + " HttpSettings.withScope, or in Spring Boot a Hooks.Scopes bean or"
                                + " semel.http.anonymous=true. Logged once.",
                        match.operation());
            }
            setup.responses().problems().write(request, response, ids, refusal);
            return;
        }
        new GuardedRequest(setup, new IncomingRequest(request, response, ids, match), admitted).run(chain);
    }

    /** By which a browser asks whether a page of another origin may send a request. It never carries credentials. */
    private static boolean isPreflight(HttpServletRequest request) {
        return request.getMethod().equals("OPTIONS")
                && request.getHeader("Origin") != null
                && request.getHeader("Access-Control-Request-Method") != null;
    }

    /** Answered by the hook of origins, or, as for other routes, by what is behind the filter. */
    private void preflight(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Hooks.Origins origins = setup.admission().origins();
        if (origins == null) {
            chain.doFilter(request, response);
        } else if (origins.admits(request, response)) {
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        }
    }

    /** Responds for the status resource, to callers who would be admitted with a key. */
    private void show(StatusResource status, HttpServletRequest request, HttpServletResponse response, RequestIds ids)
            throws IOException, ServletException {
        Hooks.Origins origins = setup.admission().origins();
        if (origins != null && !origins.admits(request, response)) {
            return;
        }
        AdmissionCheck admitted = new AdmissionCheck(setup, request);
        Problem refusal = admitted.refusalOfCaller();
        Problem problem = refusal != null ? refusal : status.respond(request, response, admitted.scope());
        if (problem != null) {
            setup.responses().problems().write(request, response, ids, problem);
        }
    }

    /** Runs a request without a key. Exceptions of Semel get the same response as under a key. */
    private void passOn(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        EarlierHeaders before = EarlierHeaders.of(response);
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            Problem problem =
                    ClassifiedException.of(e, setup.failures().exceptions()).problem();
            if (problem == null || response.isCommitted()) {
                throw e;
            }
            response.reset();
            before.restore(response);
            write(request, response, problem);
        }
    }

    /**
     * For a framework whose handler has thrown on a route without a key: responds to Semel's own exceptions
     * ({@link VersionMismatch}, {@code SemelException.NoResult}) as it does under a key.
     *
     * @return false when it has written no response: the exception is another one, or the filter will respond to it
     */
    public boolean answers(HttpServletRequest request, HttpServletResponse response, Throwable thrown)
            throws IOException {
        Problem problem = IdempotentExchange.of(request).isPresent() ? null : NestedAnswerToProblem.of(thrown);
        if (problem == null || response.isCommitted()) {
            return false;
        }
        response.resetBuffer();
        write(request, response, problem);
        return true;
    }

    private void write(HttpServletRequest request, HttpServletResponse response, Problem problem) throws IOException {
        RequestIds ids = RequestIds.of(request, setup.tracking().ids());
        ids.show(response);
        setup.responses().problems().write(request, response, ids, problem);
    }

    /**
     * For a framework that is about to run a handler: whether it may. A request that needs or has a key must have passed this
     * filter under its own route. It has not when another filter rewrites or forwards the request behind this filter, or when a
     * part of the application has routes that the filter does not know. Such a request is rejected here, because a retry could
     * run it twice.
     *
     * @param route the handler's route; null to use the routes of the filter
     * @return false when the request was rejected and must not run
     */
    public boolean mayRun(
            HttpServletRequest request, HttpServletResponse response, Hooks.Routes.@Nullable FoundRoute route)
            throws IOException {
        if (!KeyHeader.METHODS.contains(request.getMethod())
                || IdempotentExchange.of(request).isPresent()) {
            return true;
        }
        RouteTable table = setup.routing().table();
        RouteTable.Match match = route == null ? table.match(request, null) : table.match(request.getMethod(), route);
        if (match.rule().isLogOnly()) {
            return true;
        }
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

    /** For a framework: the rule of a route. */
    public Rule rule(String method, Hooks.Routes.FoundRoute route) {
        return setup.routing().table().match(method, route).rule();
    }

    /** For the documentation of an API: the HTTP status of a problem. The IETF profile changes some of them. */
    public int status(ProblemCode code) {
        return setup.responses().problems().status(code);
    }

    /** For the documentation of an API: the {@code type} of a problem. */
    public String type(ProblemCode code) {
        return setup.responses().problems().type(code);
    }

    /** Whether a media type is a stream, which a client reads while the server writes. Responses under a key cannot be. */
    public static boolean isStream(String mediaType) {
        return HeldResponse.isStream(mediaType);
    }

    /** Checks rate limit, scope, authorization and key of a request. */
    static final class AdmissionCheck {
        private final FilterSetup setup;
        private final HttpServletRequest request;
        private @Nullable KeyScope scope;
        private @Nullable String key;

        AdmissionCheck(FilterSetup setup, HttpServletRequest request) {
            this.setup = setup;
            this.request = request;
        }

        private @Nullable Problem rateLimited() {
            Hooks.RateLimit limit = setup.admission().rateLimit();
            Optional<Duration> wait = limit == null ? Optional.empty() : limit.refusal(request);
            return wait.isEmpty()
                    ? null
                    : Problem.of(
                                    ProblemCode.RATE_LIMITED,
                                    "Rejected: rate limit exceeded. Retry after the time in Retry-After.",
                                    Next.RETRY)
                            .retryAfter(wait.get());
        }

        private @Nullable Problem forbidden(KeyScope caller) {
            Hooks.Authorization authorization = setup.admission().authorization();
            return authorization == null || authorization.allows(request, caller)
                    ? null
                    : Problem.of(
                            ProblemCode.FORBIDDEN,
                            "Rejected: the caller is not authorized to send this" + " request.",
                            Next.CONTACT);
        }

        /** Without a key a request need not be authenticated; the authorization hook checks those that are. */
        @Nullable
        Problem refusalWithoutKey() {
            Problem limited = rateLimited();
            if (limited != null || setup.admission().authorization() == null) {
                return limited;
            }
            try {
                KeyScope caller = setup.admission().scopes().of(request).orElse(null);
                return caller == null ? null : forbidden(caller);
            } catch (NoTenant e) {
                return null;
            }
        }

        @Nullable
        Problem refusal(List<String> keys) {
            Problem refusal = refusalOfCaller();
            return refusal != null ? refusal : keyed(keys);
        }

        @Nullable
        Problem refusalOfCaller() {
            Problem limited = rateLimited();
            if (limited != null) {
                return limited;
            }
            try {
                scope = setup.admission().scopes().of(request).orElse(null);
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
            return forbidden(scope);
        }

        private @Nullable Problem keyed(List<String> keys) {
            if (keys.isEmpty()) {
                return Problem.of(
                        ProblemCode.KEY_REQUIRED,
                        "Send the header Idempotency-Key: a new key for each request, the same key for its retries.");
            }
            String given = keys.size() > 1 ? null : keys.get(0);
            key = setup.admission().quotedKeys() ? QuotedKey.unquoted(given) : given;
            return KeyHeader.isValid(key)
                    ? null
                    : Problem.of(
                            ProblemCode.KEY_INVALID,
                            keys.size() > 1
                                    ? "Rejected: the header Idempotency-Key was sent more than once. Send it once."
                                    : "Rejected: an idempotency key must have 1 to 128 visible ASCII characters.");
        }

        KeyScope scope() {
            return Objects.requireNonNull(scope);
        }

        String key() {
            return Objects.requireNonNull(key);
        }
    }

    /** The tenant of the caller is unknown. */
    static final class NoTenant extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoTenant() {
            super(null, null, false, false);
        }
    }
}
