package dev.semel.server.api;

import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.console.rest.AnswerCheck;
import dev.semel.console.rest.ApiProblem;
import dev.semel.server.access.Access;
import dev.semel.server.access.Scope;
import dev.semel.server.access.Token;
import dev.semel.server.access.Tokens;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import jakarta.servlet.DispatcherType;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The API on a Jetty of its own, on a free port of loopback. */
final class ApiServer implements AutoCloseable {
    static final String ACME = "acme-secret-0123456789";
    static final String GLOBEX = "globex-secret-0123456789";
    static final String ACME_TOO = "acme-too-secret-0123456789";
    static final String ORDERS_ONLY = "orders-secret-0123456789";

    /** Three attempts 1 ms apart, without jitter. */
    static final Policy QUICK = Policy.named("quick")
            .withDelays(Duration.ofMillis(1))
            .withJitter(new Policy.Jitter.None())
            .build();

    private static final AnswerCheck ANSWERS = new AnswerCheck(ApiEndpoints.schemas());

    /** Of its own: a connection that another one kept open may lead to a server that had the same port before. */
    private final HttpClient client = HttpClient.newHttpClient();

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final LostReplies lost = new LostReplies();
    private final Semel semel;

    /** The engines of a ledger. */
    enum LedgerKind {
        SQLITE {
            @Override
            String freshUrl() {
                return "sqlite:" + Scratch.directory("api").resolve("ledger.db");
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

        ApiServer start() {
            return ApiServer.on(freshUrl());
        }
    }

    private ApiServer(Semel semel) {
        this.semel = semel;
    }

    static ApiServer on(String storeUrl) {
        Semel semel = Semel.settings(storeUrl).withPolicy(QUICK).open();
        ApiServer started = new ApiServer(semel);
        try {
            started.start();
            return started;
        } catch (Exception e) {
            semel.close();
            throw new IllegalStateException(e);
        }
    }

    private void start() throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        Access access = new Access(Tokens.of(List.of(
                token("acme-app", ACME, "acme", "run", "send", "work"),
                token("acme-other-app", ACME_TOO, "acme", "run", "send", "work"),
                token("globex-app", GLOBEX, "globex", "run", "send", "work"),
                token("orders-app", ORDERS_ONLY, "acme", "send:orders.*", "run:orders.place"))));
        ApiSettings settings = ApiSettings.DEFAULT.withPolicies(Map.of("*", "quick"));
        FilterHolder front = new FilterHolder(lost);
        context.addFilter(front, "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new ApiServlet(semel, access, settings)), "/api/v1/*");
        server.setHandler(context);
        server.start();
    }

    private static Token token(String name, String secret, String tenant, String... scopes) {
        return new Token(
                name,
                secret,
                Tenant.of(tenant),
                Arrays.stream(scopes).map(Scope::of).toList());
    }

    Semel semel() {
        return semel;
    }

    /** From now on half of the requests are carried out and answered 502, as by a proxy that lost the reply. */
    void loseHalfOfTheReplies() {
        lost.begin();
    }

    int port() {
        return connector.getLocalPort();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    /** A response, read as JSON. */
    record ApiReply(HttpResponse<String> http) {
        int status() {
            return http.statusCode();
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(http.body());
        }

        String text(String field) {
            return json().path(field).asString("");
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        /** As the client repeats it. */
        String run() {
            return "\"record\":\"" + text("record") + "\",\"fence\":\"" + text("fence") + "\"";
        }

        @Override
        public String toString() {
            return http.statusCode() + " " + http.headers().map() + " " + http.body();
        }
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url() + "/api/v1" + path)).timeout(Duration.ofSeconds(180));
    }

    /** Every answer is compared with the OpenAPI document. */
    ApiReply send(HttpRequest.Builder builder) {
        try {
            HttpRequest request = builder.build();
            ApiReply reply =
                    new ApiReply(client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
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

    private static void check(HttpRequest request, ApiReply reply) {
        String path = request.uri().getPath().replaceFirst("^/api/v1", "");
        String schema;
        try {
            schema = ApiEndpoints.TABLE
                    .find(request.method(), path)
                    .entry()
                    .endpoint()
                    .output()
                    .schema();
        } catch (ApiProblem e) {
            throw new AssertionError(path + " is answered and is not in the table", e);
        }
        reply.http()
                .body()
                .lines()
                .forEach(line -> ANSWERS.demand(schema, JsonMapper.shared().readTree(line)));
    }

    ApiReply post(String token, String path, String json) {
        return post(token, path, "application/json", json.getBytes(StandardCharsets.UTF_8));
    }

    ApiReply post(String token, String path, String type, byte[] body) {
        return send(request(path)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    ApiReply post(String path, String json) {
        return post(ACME, path, json);
    }

    ApiReply get(String token, String path) {
        return send(request(path).header("Authorization", "Bearer " + token).GET());
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            semel.close();
        }
    }
}
