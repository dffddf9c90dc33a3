package dev.semel.examples.helpdesk;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.semel.Mode;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.store.Switchboard;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The middleware on a store of its own, with a stand-in for the helpdesk that may be told to fail. */
final class DeskFixture implements AutoCloseable {
    private static final String SECRET = "a-secret-of-the-helpdesk";

    enum Engine {
        SQLITE,
        POSTGRESQL
    }

    final WireMockServer helpdesk = new WireMockServer(
            WireMockConfiguration.wireMockConfig().dynamicPort().bindAddress("127.0.0.1"));
    final Middleware middleware;
    private final Store store;
    private final Operator operator;
    private final HttpClient http = HttpClient.newHttpClient();

    DeskFixture(Engine engine) throws Exception {
        helpdesk.start();
        helpdesk.stubFor(WireMock.post(WireMock.anyUrl()).atPriority(9).willReturn(WireMock.ok("{}")));
        String url = engine == Engine.SQLITE
                ? "sqlite:" + Scratch.directory("helpdesk").resolve("ledger.db")
                : PrivatePostgres.shared().url(PrivatePostgres.shared().freshDatabase());
        middleware = new Middleware(
                new Middleware.Settings(url, URI.create(helpdesk.baseUrl()), SECRET), settings -> settings);
        store = Stores.open(url, StoreProvider.Options.EXISTING);
        operator = Operator.on(store);
    }

    static String message(String conversation, String message, String text) {
        return "{\"conversation_id\":\"" + conversation + "\",\"message_id\":\"" + message + "\",\"text\":\"" + text
                + "\",\"created_at\":\"2026-01-02T03:04:05Z\"}";
    }

    /** Delivers a signed webhook; returns what the ingress says of it. */
    String deliver(String body) throws Exception {
        HttpResponse<String> answer = deliver(body, SECRET);
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
        return answer.headers().firstValue("Semel-Ingress").orElse("");
    }

    HttpResponse<String> deliver(String body, String secret) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String signature = HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + middleware.port() + "/webhooks"))
                        .header("Content-Type", "application/json")
                        .header("X-Helpdesk-Signature", "sha256=" + signature)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** The next call of an action is answered with this status. */
    void failOnce(String action, int status, String retryAfter) {
        helpdesk.stubFor(WireMock.post(WireMock.urlPathEqualTo("/" + action))
                .atPriority(1)
                .inScenario(action)
                .whenScenarioStateIs("Started")
                .willSetStateTo("failed")
                .willReturn(WireMock.aResponse().withStatus(status).withHeader("Retry-After", retryAfter)));
    }

    List<LoggedRequest> calls(String action) {
        return helpdesk.findAll(WireMock.postRequestedFor(WireMock.urlPathEqualTo("/" + action)));
    }

    List<Row> rows(State state, String channel) {
        return operator.list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 100).stream()
                .filter(row -> row.header().operation().equals(channel))
                .toList();
    }

    void replay(Row row) {
        operator.replay(row.id(), new Operator.Warrant("ann", "mended"));
    }

    /** Switches everything that acts on the helpdesk, and waits until it applies. */
    void switchSideEffects(Mode mode) throws Exception {
        Switchboard.Group group = new Switchboard.Group(Switchboard.Group.By.LABEL, Channels.SIDE_EFFECTS);
        operator.setMode(Switchboard.Setting.forGroup(null, group, mode), new Operator.Warrant("ann", "a test"));
        operator.awaitModes();
    }

    @Override
    public void close() {
        middleware.close();
        store.close();
        helpdesk.stop();
    }
}
