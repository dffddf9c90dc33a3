package dev.semel.server;

import dev.semel.console.ConsoleServlet;
import dev.semel.console.ConsoleServlet.LoginKind;
import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import dev.semel.server.access.LocalRequest;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.session.OperatorSettings;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes each request to the endpoint of its path, in the generation that is in use. */
final class EndpointServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(EndpointServlet.class);
    private static final String RETRY_AFTER = "5";
    private static final String API = "/api/v1";
    private static final String SESSION = API + "/session";
    private static final String ADMIN = API + "/admin";
    private static final String CONSOLE = "/console";
    private static final String OPENAPI = API + "/openapi.json";

    private final transient Supplier<Generation> current;
    private final transient ConsoleServlet console = new ConsoleServlet("../api/v1", LoginKind.SECRET);

    EndpointServlet(Supplier<Generation> current) {
        this.current = current;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        Generation generation = enter();
        if (generation == null) {
            unavailable(request, response);
            return;
        }
        try {
            switch (request.getRequestURI()) {
                case "/livez" -> health(request, response, null);
                case "/readyz" -> health(request, response, fault(generation));
                case "/metrics" -> metrics(request, response, generation);
                default -> endpoint(request, response, generation);
            }
        } finally {
            leave(request, generation);
        }
    }

    /** A request that is answered later, by another thread, uses its generation until then. */
    private static void leave(HttpServletRequest request, Generation generation) {
        if (request.isAsyncStarted()) {
            try {
                request.getAsyncContext().addListener(new LeavingListener(generation));
                return;
            } catch (IllegalStateException e) {
                LOG.debug("A request has ended meanwhile.", e);
            }
        }
        generation.leave();
    }

    /** A generation that is retired lets nobody in; its successor is in use before that. Null if it has none: the server stops. */
    private @Nullable Generation enter() {
        Generation generation = current.get();
        while (!generation.enter()) {
            Generation next = current.get();
            if (next == generation) {
                return null;
            }
            generation = next;
        }
        return generation;
    }

    private static @Nullable String fault(Generation generation) {
        OpenLedger ledger = generation.ledger();
        if (ledger == null) {
            return "the store has not been reached yet";
        }
        try {
            ledger.demandReachable();
            return null;
        } catch (RuntimeException e) {
            LOG.warn("Readiness check failed: the store is unavailable.", e);
            return "the store is unavailable";
        }
    }

    private static void health(HttpServletRequest request, HttpServletResponse response, @Nullable String fault)
            throws IOException {
        if (isRead(request, response)) {
            response.setStatus(fault == null ? 200 : 503);
            write(response, "text/plain", fault == null ? "ok\n" : fault + "\n");
        }
    }

    /**
     * Metrics name sources and destinations, so they are for this machine only: a request that comes from elsewhere, or through a proxy,
     * finds nothing here.
     */
    private static void metrics(HttpServletRequest request, HttpServletResponse response, Generation generation)
            throws IOException {
        if (!LocalRequest.isLocal(request)) {
            notFound(request, response);
        } else if (isRead(request, response)) {
            write(response, "text/plain; version=0.0.4; charset=utf-8", generation.metrics());
        }
    }

    private static boolean isRead(HttpServletRequest request, HttpServletResponse response) {
        boolean read = reads(request);
        if (!read) {
            response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            response.setHeader("Allow", "GET, HEAD");
        }
        return read;
    }

    private static boolean reads(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }

    /** Other methods have no business there: CONNECT names no path of this server. */
    private static boolean isFrontPage(HttpServletRequest request, Generation generation) {
        return request.getRequestURI().equals("/") && reads(request) && isConsoleSeen(request, generation);
    }

    private void endpoint(HttpServletRequest request, HttpServletResponse response, Generation generation)
            throws ServletException, IOException {
        if (request.getRequestURI().equals(OPENAPI)) {
            if (isRead(request, response)) {
                write(response, "application/json", ApiDocument.text());
            }
            return;
        }
        if (isForOperators(request.getRequestURI())) {
            operators(request, response, generation);
            return;
        }
        if (isAtOrBelow(CONSOLE, request.getRequestURI())) {
            console(request, response, generation);
            return;
        }
        if (isApi(generation, request.getRequestURI())) {
            api(request, response, generation.ledger());
            return;
        }
        GatewayConfig gateway = generation.config().gateways().stream()
                .filter(each -> isAtOrBelow(each.path(), request.getRequestURI()))
                .findFirst()
                .orElse(null);
        if (gateway != null) {
            gateway(request, response, gateway, generation.ledger());
            return;
        }
        SourceConfig source = generation.config().sources().stream()
                .filter(each -> isAt(each, request.getRequestURI()))
                .findFirst()
                .orElse(null);
        OpenLedger ledger = generation.ledger();
        if (source == null && isFrontPage(request, generation)) {
            response.setStatus(HttpServletResponse.SC_FOUND);
            // Relative: a proxy may have added something in front.
            response.setHeader("Location", "." + CONSOLE + "/");
        } else if (source == null) {
            notFound(request, response);
        } else if (ledger == null) {
            unavailable(request, response);
        } else {
            ledger.endpoint(source).service(new RequestBelow(request, source.path()), response);
        }
    }

    private static boolean isForOperators(String path) {
        return path.equals(SESSION) || isAtOrBelow(ADMIN, path);
    }

    /** The pages need no ledger: they say that it is unavailable. */
    private void console(HttpServletRequest request, HttpServletResponse response, Generation generation)
            throws ServletException, IOException {
        if (isConsoleSeen(request, generation)) {
            console.service(new RequestBelow(request, CONSOLE), response);
        } else {
            notFound(request, response);
        }
    }

    private static boolean isConsoleSeen(HttpServletRequest request, Generation generation) {
        OperatorSettings operators = generation.config().operators();
        return operators.console() && (!operators.isLoopbackOnly() || LocalRequest.isLocal(request));
    }

    /** While nobody is configured, requests from elsewhere find nothing here. */
    private static void operators(HttpServletRequest request, HttpServletResponse response, Generation generation)
            throws ServletException, IOException {
        OpenLedger ledger = generation.ledger();
        if (generation.config().operators().isLoopbackOnly() && !LocalRequest.isLocal(request)) {
            notFound(request, response);
        } else if (ledger == null) {
            unavailable(request, response);
        } else if (request.getRequestURI().equals(SESSION)) {
            ledger.session().service(new RequestBelow(request, SESSION), response);
        } else {
            ledger.admin().service(new RequestBelow(request, ADMIN), response);
        }
    }

    private static boolean isAtOrBelow(String above, String path) {
        return path.equals(above) || path.startsWith(above + "/");
    }

    private static void gateway(
            HttpServletRequest request,
            HttpServletResponse response,
            GatewayConfig gateway,
            @Nullable OpenLedger ledger)
            throws ServletException, IOException {
        if (ledger == null) {
            unavailable(request, response);
        } else {
            ledger.gateway(gateway.path()).service(new RequestBelow(request, gateway.path()), response);
        }
    }

    private static boolean isAt(SourceConfig source, String path) {
        return path.equals(source.path()) || source.withParts() && path.startsWith(source.path() + "/");
    }

    private static boolean isApi(Generation generation, String path) {
        return path.startsWith(API + "/") && !generation.config().tokens().isEmpty();
    }

    private static void api(HttpServletRequest request, HttpServletResponse response, @Nullable OpenLedger ledger)
            throws ServletException, IOException {
        if (ledger == null) {
            unavailable(request, response);
        } else {
            ledger.api().service(new RequestBelow(request, API), response);
        }
    }

    /** A request as a servlet at a path sees it: its path info is what follows. */
    private static final class RequestBelow extends HttpServletRequestWrapper {
        private final String path;

        RequestBelow(HttpServletRequest request, String path) {
            super(request);
            this.path = path;
        }

        @Override
        public String getServletPath() {
            return path;
        }

        /** As it was sent: Jetty throws for a charset that it does not know. */
        @Override
        public @Nullable String getContentType() {
            return getHeader("Content-Type");
        }

        @Override
        public @Nullable String getPathInfo() {
            String whole = super.getPathInfo();
            return whole == null || whole.length() <= path.length() ? null : whole.substring(path.length());
        }
    }

    private static void notFound(HttpServletRequest request, HttpServletResponse response) throws IOException {
        problem(request, 404, "Not found", "Nothing is served at this path.", "request.not_found")
                .send(response);
    }

    private static void unavailable(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Retry-After", RETRY_AFTER);
        problem(
                        request,
                        503,
                        "Store unavailable",
                        "The ledger cannot be reached, or the server stops. Nothing was stored; send it again after the time in Retry-After.",
                        "ingress.store_unavailable")
                .send(response);
    }

    private static ProblemDocument problem(
            HttpServletRequest request, int status, String title, String detail, String code) {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        return ProblemDocument.of("urn:semel:problem:" + code, title, status, detail, code)
                .with("correlation_id", ids.correlation());
    }

    private static void write(HttpServletResponse response, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        response.setContentType(type);
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }
}
