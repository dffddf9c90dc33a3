package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.console.admin.AdminServer.LedgerKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The overview as server-sent events. */
@Timeout(60)
class LiveOverviewTest {
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

    private EventStream open(String token, String query) throws Exception {
        EventStream stream = EventStream.open(server.request(token, "/overview/live" + query));
        streams.add(stream);
        return stream;
    }

    private void send(String tenant, String key) {
        server.send(Tenant.of(tenant), AdminServer.MAIL, key, "ann");
        server.work();
    }

    @Test
    void overviewIsSentAtOnceAndAgainWithWhatHappenedMeanwhile() throws Exception {
        EventStream stream = open(VIEWER, "?window=day&operation=mail");
        assertThat(stream.status()).isEqualTo(200);
        List<String> first = stream.next();
        assertThat(first.get(0)).isEqualTo("event: overview");
        send("acme", "one");
        JsonNode second = stream.data();
        AdminServer.ANSWERS.demand("Overview", second);
        assertThat(second.path("window").asString()).isEqualTo("day");
        assertThat(second.path("totals").path("executed").asInt()).isEqualTo(1);
        assertThat(second.path("operations")).hasSize(1);
        assertThat(open(VIEWER, "?window=year").status()).isEqualTo(400);
    }

    @Test
    void figuresOfTheProgramAreSentWhenTheyChange() throws Exception {
        server.figures = List.of(new ProgramFigure("delivered", "1", "webhooks", ProgramFigure.Tone.PLAIN));
        EventStream stream = open(VIEWER, "");
        JsonNode first = stream.data();
        assertThat(first.path("program").path(0).path("value").asString()).isEqualTo("1");
        server.figures = List.of(new ProgramFigure("delivered", "2", "webhooks", ProgramFigure.Tone.PLAIN));
        JsonNode next = stream.data();
        assertThat(next.path("program").path(0).path("value").asString()).isEqualTo("2");
        assertThat(next.path("now")).as("the store was not read again").isEqualTo(first.path("now"));
    }

    @Test
    void streamsOfTheSameWindowShareOneRead() throws Exception {
        EventStream one = open(VIEWER, "");
        EventStream other = open(ACME_ADMIN, "");
        EventStream third = open(VIEWER, "");
        assertThat(one.data().path("now")).isEqualTo(third.data().path("now"));
        assertThat(one.data().path("now")).isEqualTo(third.data().path("now"));
        assertThat(other.data().path("tenant").asString()).isEqualTo("acme");
    }

    @Test
    void h4_personOfOneTenantSeesNothingOfAnother() throws Exception {
        send("globex", "theirs");
        send("acme", "ours");
        server.engine()
                .operator()
                .pause("mail", null, new dev.semel.operator.Operator.Warrant("root", "globex moves to another host"));
        EventStream stream = open(ACME_OPERATOR, "");
        JsonNode own = stream.data();
        assertThat(own.toString()).doesNotContain("globex");
        assertThat(own.path("totals").path("executed").asInt()).isEqualTo(1);
        assertThat(open(ACME_OPERATOR, "?tenant=globex").status()).isEqualTo(403);
        assertThat(open(VIEWER, "?tenant=globex")
                        .data()
                        .path("totals")
                        .path("executed")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void h5_streamEndsWhenTheCredentialsAreNotValidAnyMore() throws Exception {
        EventStream stream = open(ACME_OPERATOR, "");
        stream.next();
        AdminServer.REVOKED.add(ACME_OPERATOR);
        List<String> event = stream.next();
        while (event.contains("event: overview")) {
            event = stream.next();
        }
        assertThat(event).contains("event: end", "data: {\"reason\":\"unauthenticated\"}");
        assertThat(stream.in().readLine()).isNull();
    }
}
