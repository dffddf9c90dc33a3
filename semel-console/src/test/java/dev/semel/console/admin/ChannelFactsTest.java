package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Channel.Capacity;
import dev.semel.Tenant;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.admin.AdminServer.Mail;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the list of channels tells of their breakers and of how fast they are handled. */
class ChannelFactsTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Channel.Leased<Mail> PAGER =
            Channel.leased("pager", Mail.class).withPolicy("brisk");
    private static final Channel.Breaker BREAKER = new Channel.Breaker(50, 4, Duration.ofHours(1));

    private AdminServer server;

    @BeforeEach
    void start() {
        server = LedgerKind.SQLITE.start();
        server.engine().handle(PAGER, Capacity.of(1).withBreaker(BREAKER), (mail, run) -> {
            if (mail.to().equals("unreachable")) {
                throw new ConnectException("refused");
            }
        });
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private JsonNode pager(String token) {
        return server.get(token, "/channels").json().path("channels").values().stream()
                .filter(each -> each.path("channel").asString().equals("pager"))
                .findFirst()
                .orElseThrow();
    }

    private void send(int from, int count, String to) {
        for (int i = from; i < from + count; i++) {
            server.send(ACME, PAGER, "p-" + i, to);
        }
    }

    @Test
    void breakerIsToldWithSinceWhenAndOnWhichNode() {
        Instant before = Instant.now().minusSeconds(1);
        send(0, 1, "ann");
        server.work();
        send(1, 8, "unreachable");
        assertThat(pager(VIEWER).path("breaker").path("state").asString()).isEqualTo("closed");
        server.work();
        JsonNode breaker = pager(VIEWER).path("breaker");
        assertThat(breaker.path("state").asString()).isEqualTo("open");
        assertThat(Instant.parse(breaker.path("since").asString())).isBetween(before, Instant.now());
        assertThat(breaker.path("node").asString())
                .endsWith("/" + ProcessHandle.current().pid());
        JsonNode attention = server.get(VIEWER, "/overview").json().path("attention");
        assertThat(attention.toString()).contains("breaker_open", "The breaker of pager is open on this node");
    }

    @Test
    void personOfOneTenantIsToldOfNoBreaker() {
        send(0, 5, "ann");
        server.work();
        send(5, 1, "ann");
        assertThat(pager(ACME_OPERATOR).has("breaker")).isFalse();
        assertThat(pager(VIEWER).path("breaker").path("state").asString()).isEqualTo("closed");
    }
}
