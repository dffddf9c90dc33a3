package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.live.LiveLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The audit as server-sent events. */
class LiveAuditTest {
    private AdminServer server;
    private final List<EventStream> streams = new ArrayList<>();

    @BeforeEach
    void start() {
        server = LedgerKind.SQLITE.start();
    }

    @AfterEach
    void stop() throws IOException {
        AdminServer.REVOKED.clear();
        for (EventStream stream : streams) {
            stream.in().close();
        }
        server.close();
    }

    private EventStream open(String token, String query, String... headers) throws Exception {
        var request = server.request(token, "/audit/live" + query);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        EventStream stream = EventStream.open(request);
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
        EventStream stream = open(VIEWER, "?type=operation.executed");
        assertThat(stream.status()).isEqualTo(200);
        assertThat(stream.http().headers().firstValue("Content-Type").orElse(""))
                .startsWith("text/event-stream");
        assertThat(stream.http().headers().firstValue("Cache-Control")).hasValue("no-store");
        send("acme", "one");
        List<String> first = stream.next();
        assertThat(first).anyMatch("event: audit"::equals);
        assertThat(first.toString()).contains("c-one");
        String id = first.stream()
                .filter(line -> line.startsWith("id: "))
                .findFirst()
                .orElseThrow();
        stream.in().close();
        send("acme", "two");
        EventStream again = open(VIEWER, "?type=operation.executed", "Last-Event-ID", id.substring("id: ".length()));
        assertThat(again.data().toString()).contains("c-two");
        AdminServer.ANSWERS.demand("AuditEvent", open(VIEWER, "?last=1").data());
    }

    @Test
    void h4_personOfOneTenantSeesNoEventOfAnother() throws Exception {
        EventStream stream = open(ACME_ADMIN, "?type=operation.executed");
        send("globex", "theirs");
        send("acme", "ours");
        assertThat(stream.data().toString()).contains("c-ours").doesNotContain("globex");
        assertThat(open(ACME_ADMIN, "?tenant=globex").status()).isEqualTo(403);
    }

    @Test
    void streamsOfOnePersonAreLimited() throws Exception {
        for (int i = 0; i < LiveLimits.USUAL.perPerson(); i++) {
            assertThat(open(VIEWER, "").status()).isEqualTo(200);
        }
        EventStream further = open(VIEWER, "");
        assertThat(further.status()).isEqualTo(429);
        assertThat(further.http().headers().firstValue("Retry-After")).isPresent();
        assertThat(further.in().readLine()).contains("request.rate_limited");
        assertThat(open(OPERATOR, "").status()).isEqualTo(200);
    }

    @Test
    void h5_streamEndsWhenTheCredentialsAreNotValidAnyMore() throws Exception {
        EventStream stream = open(ACME_OPERATOR, "");
        AdminServer.REVOKED.add(ACME_OPERATOR);
        assertThat(stream.next()).contains("event: end", "data: {\"reason\":\"unauthenticated\"}");
        assertThat(stream.in().readLine()).isNull();
        assertThat(open(ACME_OPERATOR, "").status()).isEqualTo(401);
    }

    @Test
    void streamsEndWithTheServerAndNoMoreAreOpened() throws Exception {
        EventStream stream = open(VIEWER, "");
        assertThat(stream.in().readLine()).isEqualTo("retry: 3000");
        server.closeStreams();
        assertThat(stream.next()).contains("data: {\"reason\":\"closing\"}");
        assertThat(stream.in().readLine()).isNull();
        assertThat(open(VIEWER, "").status()).isEqualTo(503);
    }
}
