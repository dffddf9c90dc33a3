package dev.semel.server.session;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.console.access.AdminAccess.AdminAuthentication;
import dev.semel.console.access.Role;
import dev.semel.operator.Operator;
import dev.semel.server.access.LocalUser;
import dev.semel.server.api.SessionServlet;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sessions on a Jetty of their own, on a free port of loopback, with a clock that stands still. Requests below /admin are answered with who
 * sent them, as the servlet for operators would.
 */
final class SessionServer implements AutoCloseable {
    static final String ALICE = "aliceHUNTERsecret0123456789";
    static final String ALICE_NEXT = "aliceHUNTERnextsecret012345";
    static final String BOB = "bobHUNTERsecret0123456789ab";

    static final OperatorSettings USERS = new OperatorSettings(
            List.of(
                    new LocalUser("alice", List.of(ALICE, ALICE_NEXT), Role.ADMIN, null),
                    new LocalUser("bob", List.of(BOB), Role.VIEWER, Tenant.of("acme"))),
            null,
            new SessionLimits(Duration.ofMinutes(30), Duration.ofHours(12), 3, false));

    /** Of its own: a connection that another one kept open may lead to a server that had the same port before. */
    private final HttpClient client = HttpClient.newHttpClient();

    private final Server jetty = new Server();
    private final ServerConnector connector = new ServerConnector(jetty);
    private final ManualTime time;
    private final BreakableAudit store;
    private final LoginState state;
    private final OperatorAudit audit;
    private volatile OperatorAccess access;
    private volatile SessionServlet servlet;

    SessionServer(OperatorSettings settings, ManualTime time) {
        this.time = time;
        this.store = new BreakableAudit(new MemoryStore(time));
        this.state = new LoginState(time, new SecureRandom());
        this.audit = new OperatorAudit(Operator.on(store).access(), time);
        take(settings);
        connector.setHost("127.0.0.1");
        jetty.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Present()), "/session");
        context.addServlet(new ServletHolder(new Echo()), "/admin/*");
        jetty.setHandler(context);
        try {
            jetty.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of the settings that are in use. */
    private final class Present extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        public void service(jakarta.servlet.ServletRequest request, jakarta.servlet.ServletResponse response)
                throws IOException, jakarta.servlet.ServletException {
            servlet.service(request, response);
        }
    }

    /** Says who asks. */
    private final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            AdminAuthentication result = access.authenticate(request);
            response.setStatus(
                    result instanceof AdminAuthentication.Known
                            ? 200
                            : result instanceof AdminAuthentication.Blocked ? 429 : 401);
            response.getWriter().write(result.toString());
        }
    }

    /** A store whose audit can be made to fail. */
    static final class BreakableAudit extends ForwardingStore {
        private volatile boolean broken;

        BreakableAudit(Store delegate) {
            super(delegate);
        }

        void broken(boolean value) {
            broken = value;
        }

        @Override
        public AuditLog audit() {
            return new ForwardingAuditLog(delegate().audit()) {
                @Override
                public void append(List<AuditEntry> entries) {
                    if (broken) {
                        throw new SemelException.StoreUnavailable("the store is down", null);
                    }
                    super.append(entries);
                }
            };
        }
    }

    /** Takes changed settings into use, as a reload does. */
    void take(OperatorSettings settings) {
        access = new OperatorAccess(settings, state, audit);
        servlet = new SessionServlet(access);
    }

    LoginState state() {
        return state;
    }

    OperatorAudit audit() {
        return audit;
    }

    BreakableAudit store() {
        return store;
    }

    ManualTime time() {
        return time;
    }

    /** Events of the audit by this public name, oldest first. */
    List<Map<String, Object>> events(String type) {
        audit.flush(true);
        List<Map<String, Object>> found =
                new java.util.ArrayList<>(store.audit().newest(AuditFilter.ALL, 10_000).stream()
                        .map(AuditEvent::new)
                        .filter(each -> each.type().equals(type))
                        .map(AuditEvent::fields)
                        .toList());
        java.util.Collections.reverse(found);
        return found;
    }

    record Reply(HttpResponse<String> http) {
        int status() {
            return http.statusCode();
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(http.body());
        }

        String text(String field) {
            return json().path(field).asString("");
        }

        String cookie() {
            return http.headers().firstValue("Set-Cookie").orElse("");
        }

        @Override
        public String toString() {
            return http.statusCode() + " " + http.headers().map() + " " + http.body();
        }
    }

    /** @param headers names and values in turn */
    Reply send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + connector.getLocalPort() + path))
                .timeout(Duration.ofSeconds(60))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return new Reply(client.send(request.build(), HttpResponse.BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    Reply logIn(String secret, String... headers) {
        return send("POST", "/session", "{\"secret\":\"" + secret + "\"}", headers);
    }

    /** The token of a session. */
    String token(String secret) {
        return logIn(secret).text("token");
    }

    Reply bearer(String method, String path, String token) {
        return send(method, path, "", "Authorization", "Bearer " + token);
    }

    @Override
    public void close() {
        try {
            jetty.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
