package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.console.admin.AdminServer.LedgerKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The audit as server-sent events. */
class LiveAuditTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private AdminServer server;
    private final List<Stream> streams = new ArrayList<>();

    /** An open stream of events. */
    private record Stream(HttpResponse<InputStream> http, BufferedReader in) {
        /** The lines of the next event; comments and the pause for reconnecting are none. */
        List<String> next() throws IOException {
            List<String> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty() && !lines.isEmpty()) {
                    return lines;
                }
                if (!line.isEmpty() && !line.startsWith(":") && !line.startsWith("retry:")) {
                    lines.add(line);
                }
            }
            throw new IOException("the stream has ended: " + lines);
        }

        JsonNode data() throws IOException {
            String data = next().stream()
                    .filter(line -> line.startsWith("data: "))
                    .findFirst()
                    .orElseThrow();
            return JsonMapper.shared().readTree(data.substring("data: ".length()));
        }
    }

    @BeforeEach
    void start() {
        server = LedgerKind.SQLITE.start();
    }

    @AfterEach
    void stop() throws IOException {
        AdminServer.REVOKED.clear();
        for (Stream stream : streams) {
            stream.in.close();
        }
        server.close();
    }

    private Stream open(String token, String query, String... headers) throws Exception {
        var request = server.request(token, "/audit/live" + query).header("Accept", "text/event-stream");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        HttpResponse<InputStream> response =
                CLIENT.send(request.GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        Stream stream = new Stream(
                response, new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8)));
        streams.add(stream);
        return stream;
    }

    private void send(String tenant, String key) {
        server.send(Tenant.of(tenant), AdminServer.MAIL, key, "ann");
        server.work();
    }

    @Test
    void newEventsArriveAndAClientThatReconnectsContinues() throws Exception {
        send("acme", "before");
        Stream stream = open(VIEWER, "?type=operation.executed");
        assertThat(stream.http.statusCode()).isEqualTo(200);
        assertThat(stream.http.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        assertThat(stream.http.headers().firstValue("Cache-Control")).hasValue("no-store");
        send("acme", "one");
        List<String> first = stream.next();
        assertThat(first).anyMatch("event: audit"::equals);
        assertThat(first.toString()).contains("c-one");
        String id = first.stream()
                .filter(line -> line.startsWith("id: "))
                .findFirst()
                .orElseThrow();
        stream.in.close();
        send("acme", "two");
        Stream again = open(VIEWER, "?type=operation.executed", "Last-Event-ID", id.substring("id: ".length()));
        assertThat(again.data().toString()).contains("c-two");
        AdminServer.ANSWERS.demand("AuditEvent", open(VIEWER, "?last=1").data());
    }

    @Test
    void h4_personOfOneTenantSeesNoEventOfAnother() throws Exception {
        Stream stream = open(ACME_ADMIN, "?type=operation.executed");
        send("globex", "theirs");
        send("acme", "ours");
        assertThat(stream.data().toString()).contains("c-ours").doesNotContain("globex");
        assertThat(open(ACME_ADMIN, "?tenant=globex").http.statusCode()).isEqualTo(403);
    }

    @Test
    void streamsOfOnePersonAreLimited() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(open(VIEWER, "").http.statusCode()).isEqualTo(200);
        }
        Stream fifth = open(VIEWER, "");
        assertThat(fifth.http.statusCode()).isEqualTo(429);
        assertThat(fifth.http.headers().firstValue("Retry-After")).isPresent();
        assertThat(fifth.in.readLine()).contains("request.rate_limited");
        assertThat(open(OPERATOR, "").http.statusCode()).isEqualTo(200);
    }

    @Test
    void h5_streamEndsWhenTheCredentialsAreNotValidAnyMore() throws Exception {
        Stream stream = open(ACME_OPERATOR, "");
        AdminServer.REVOKED.add(ACME_OPERATOR);
        assertThat(stream.next()).contains("event: end", "data: {\"reason\":\"unauthenticated\"}");
        assertThat(stream.in.readLine()).isNull();
        assertThat(open(ACME_OPERATOR, "").http.statusCode()).isEqualTo(401);
    }

    @Test
    void streamsEndWithTheServerAndNoMoreAreOpened() throws Exception {
        Stream stream = open(VIEWER, "");
        assertThat(stream.in.readLine()).isEqualTo("retry: 3000");
        server.closeStreams();
        assertThat(stream.next()).contains("data: {\"reason\":\"closing\"}");
        assertThat(stream.in.readLine()).isNull();
        assertThat(open(VIEWER, "").http.statusCode()).isEqualTo(503);
    }
}
