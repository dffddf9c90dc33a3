package dev.semel.console.admin;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.console.access.AdminAccess;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.rest.AnswerCheck;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.Endpoint;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard.Setting;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The API for operators on a Jetty of its own, above a ledger in which two tenants have the same kinds of trouble. Who asks is a test
 * implementation of {@link AdminAccess}: the token is the person's name.
 */
final class AdminServer implements AutoCloseable {
    static final String ADMIN = "root";
    static final String OPERATOR = "olga";
    static final String VIEWER = "vera";
    static final String ACME_ADMIN = "acme-admin";
    static final String ACME_OPERATOR = "acme-olga";
    static final String GLOBEX_ADMIN = "globex-admin";

    private static final Map<String, Person> PEOPLE = Map.of(
            ADMIN, new Person(ADMIN, Role.ADMIN, null),
            OPERATOR, new Person(OPERATOR, Role.OPERATOR, null),
            VIEWER, new Person(VIEWER, Role.VIEWER, null),
            ACME_ADMIN, new Person(ACME_ADMIN, Role.ADMIN, Tenant.of("acme")),
            ACME_OPERATOR, new Person(ACME_OPERATOR, Role.OPERATOR, Tenant.of("acme")),
            GLOBEX_ADMIN, new Person(GLOBEX_ADMIN, Role.ADMIN, Tenant.of("globex")));

    /** Tokens that are not valid any more. */
    static final Set<String> REVOKED = ConcurrentHashMap.newKeySet();

    record Mail(String order, String to, String token) {}

    private static final Policy BRISK = Policy.named("brisk").withoutBackoff().build();
    private static final Policy STRICT = BRISK.toBuilder()
            .withName("strict")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();
    static final Operation.Leased<String, String> ORDER =
            Operation.leased("order", String.class, String.class).withPolicy("brisk");
    static final Channel.Leased<Mail> MAIL = Channel.leased("mail", Mail.class).withPolicy("brisk");
    static final Channel.Leased<Mail> CRM =
            Channel.leased("crm", Mail.class).withPolicy("strict").withLane(Mail::order);
    static final Channel.Leased<Mail> FAX =
            Channel.leased("fax", Mail.class).withPolicy("brisk").asUnrepeatable();
    static final Channel.Atomic<String> PLAN =
            Channel.atomic("plan", String.class).withPolicy("brisk");

    static final AnswerCheck ANSWERS = new AnswerCheck(AdminSchemas.all());
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final Engine engine;
    private AdminServlet servlet;
    final List<String> handled = new CopyOnWriteArrayList<>();
    volatile boolean mended;
    volatile boolean viewersSeePayloads;
    volatile Supplier<ServerActions.ReloadResult> onReload = ServerActions.ReloadResult.Reloaded::new;
    volatile ServerActions.ServerParts parts = ServerActions.ServerParts.NONE;
    volatile List<ProgramFigure> figures = List.of();

    /** The engines of a ledger. */
    enum LedgerKind {
        SQLITE {
            @Override
            String freshUrl() {
                return "sqlite:" + Scratch.directory("admin").resolve("ledger.db");
            }
        },
        POSTGRESQL {
            @Override
            String freshUrl() {
                PrivatePostgres postgres = PrivatePostgres.shared();
                return postgres.url(postgres.freshDatabase());
            }
        };

        abstract String freshUrl();

        /** Without background: a test says when work is done. */
        AdminServer start() {
            return AdminServer.on(freshUrl());
        }
    }

    private AdminServer(Engine engine) {
        this.engine = engine;
    }

    static AdminServer on(String url) {
        Engine engine = EngineSettings.at(url)
                .withPolicy(BRISK)
                .withPolicy(STRICT)
                .withoutBackground()
                .withActivityByHand()
                .open();
        AdminServer started = new AdminServer(engine);
        try {
            started.handle();
            started.serve();
            return started;
        } catch (Exception e) {
            engine.close();
            throw new IllegalStateException(e);
        }
    }

    private void serve() throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        servlet = new AdminServlet(engine, AdminServer::authenticate, new ServerActions() {
            @Override
            public ReloadResult reload() {
                return onReload.get();
            }

            @Override
            public ServerParts parts() {
                return parts;
            }

            @Override
            public boolean viewersSeePayloads() {
                return viewersSeePayloads;
            }

            @Override
            public List<ProgramFigure> figures() {
                return figures;
            }
        });
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/api/v1/admin/*");
        server.setHandler(context);
        server.start();
    }

    private static AdminAccess.AdminAuthentication authenticate(HttpServletRequest request) {
        String header = String.valueOf(request.getHeader("Authorization"));
        if (header.equals("Bearer blocked")) {
            return new AdminAccess.AdminAuthentication.Blocked(Duration.ofSeconds(30));
        }
        String token = header.replaceFirst("^Bearer ", "");
        Person person = REVOKED.contains(token) ? null : PEOPLE.get(token);
        return person == null
                ? new AdminAccess.AdminAuthentication.Unknown("there is no such token")
                : new AdminAccess.AdminAuthentication.Known(person);
    }

    private void handle() {
        engine.handle(MAIL, (mail, run) -> fails(mail, "unreachable", new java.net.ConnectException("refused")));
        engine.handle(
                CRM,
                (mail, run) -> fails(
                        mail,
                        "broken",
                        Failure.of(Failure.Category.MAPPING, "The CRM knows no stage \"broken\".")
                                .asException()));
        engine.handle(
                FAX, (mail, run) -> fails(mail, "silent", new java.net.SocketTimeoutException("no answer, 77 pages")));
        engine.handle(PLAN, (text, tx) -> tx.send(MAIL, tx.key("mail"), new Mail(text, "ann", "t")));
    }

    private void fails(Mail mail, String when, Exception failure) throws Exception {
        if (mail.to().equals(when) && !mended) {
            throw failure;
        }
        handled.add(mail.order());
    }

    /** Of each tenant: an order with a step and its mail, two dead mails, a parked lane, an UNKNOWN fax, a waiting mail. */
    AdminServer withTrouble() {
        for (Tenant tenant : List.of(Tenant.of("acme"), Tenant.of("globex"))) {
            engine.run(ORDER, Call.of(tenant, Key.of("o-1"), "o-1").withCorrelationId("c-1"), (order, run) -> {
                run.step("pay", String.class, key -> "receipt");
                run.send(MAIL, Key.of("o-1"), new Mail("o-1", "ann", "s3cret"));
                return "done";
            });
            send(tenant, MAIL, "lost-1", "unreachable");
            send(tenant, MAIL, "lost-2", "unreachable");
            send(tenant, CRM, "o-7", "broken");
            send(tenant, FAX, "f-1", "silent");
            work();
            engine.send(CRM, Message.of(tenant, Key.of("o-7b"), new Mail("o-7", "fine", "s3cret")));
            engine.send(
                    MAIL,
                    Message.of(tenant, Key.of("later"), new Mail("later", "ann", "s3cret"))
                            .withDelay(Duration.ofHours(1)));
        }
        return this;
    }

    /** What SHADOW would have sent. */
    AdminServer withShadow() {
        engine.operator().setMode(new Setting(null, "plan", Mode.SHADOW), new Warrant("test", "dry run"));
        for (String tenant : List.of("acme", "globex")) {
            engine.send(PLAN, Message.of(Tenant.of(tenant), Key.of("p-1"), "p-1"));
        }
        work();
        return this;
    }

    void send(Tenant tenant, Channel<Mail> channel, String key, String to) {
        engine.send(
                channel,
                Message.of(tenant, Key.of(key), new Mail(key, to, "s3cret")).withCorrelationId("c-" + key));
    }

    /** Handles all that is due. */
    void work() {
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    /** As at the end of the server, or a reload. */
    void closeStreams() {
        servlet.closeStreams();
    }

    Engine engine() {
        return engine;
    }

    static String id(String tenant, String operation, String key) {
        return Identity.of(Tenant.of(tenant), operation, Key.of(key)).id().hex();
    }

    String url() {
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    /** A response, read as JSON. */
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

        @Override
        public String toString() {
            return http.statusCode() + " " + http.headers().map() + " " + http.body();
        }
    }

    HttpRequest.Builder request(String token, String path) {
        return HttpRequest.newBuilder(URI.create(url() + "/api/v1/admin" + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token);
    }

    /** Every answer is compared with the OpenAPI document. */
    Reply send(HttpRequest.Builder builder) {
        try {
            HttpRequest request = builder.build();
            Reply reply = new Reply(CLIENT.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
            if (reply.status() / 100 == 2) {
                check(request, reply);
            }
            return reply;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void check(HttpRequest request, Reply reply) {
        String path = request.uri().getPath().replaceFirst("^/api/v1", "");
        Endpoint endpoint;
        try {
            endpoint = AdminEndpoints.TABLE.find(request.method(), path).entry().endpoint();
        } catch (ApiProblem e) {
            throw new AssertionError(path + " is answered and is not in the table", e);
        }
        if (reply.status() != endpoint.output().status()) {
            throw new AssertionError(path + " answered " + reply.status());
        }
        if (endpoint.output().type().equals("application/json")) {
            ANSWERS.demand(endpoint.output().schema(), reply.json());
        } else {
            reply.http()
                    .body()
                    .lines()
                    .forEach(line -> ANSWERS.demand(
                            endpoint.output().schema(), JsonMapper.shared().readTree(line)));
        }
    }

    Reply get(String token, String path) {
        return send(request(token, path).GET());
    }

    Reply post(String token, String path, String json) {
        return post(token, path, "application/json", json);
    }

    Reply post(String token, String path, String type, String body) {
        return send(request(token, path)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            engine.close();
        }
    }
}
