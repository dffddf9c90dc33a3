package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ADMIN;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static dev.semel.console.admin.AdminServer.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.admin.AdminServer.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no honest client sends: each is rejected with its reason, and nothing is changed. */
class HostileAdminRequestTest {
    private static AdminServer server;

    @BeforeAll
    static void start() {
        server = LedgerKind.SQLITE.start().withTrouble();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String cursor(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static Stream<Arguments> queries() {
        return Stream.of(
                Arguments.of("/records?limit=1000000", "\"limit\" must be a whole number from 1 to 200"),
                Arguments.of("/records?limit=99999999999999999999", "\"limit\""),
                Arguments.of("/records?limit=0", "\"limit\""),
                Arguments.of("/records?limit=ten", "\"limit\""),
                Arguments.of("/records?limit=5&limit=6", "more than once"),
                Arguments.of("/records?surprise=1", "Unknown parameter \"surprise\""),
                Arguments.of("/records?cursor=%00", "\"cursor\""),
                Arguments.of("/records?cursor=" + "A".repeat(10_000 / 40), "\"cursor\""),
                Arguments.of("/records?cursor=" + cursor("r,9,1,00"), "\"cursor\""),
                Arguments.of("/records?cursor=" + cursor("r,0,x,00"), "\"cursor\""),
                Arguments.of("/records?cursor=" + cursor("a,1,1"), "\"cursor\""),
                Arguments.of("/records?state=COMPLETED&cursor=" + cursor("r,0,1," + "0".repeat(64)), "other states"),
                Arguments.of("/records?state=GONE", "\"state\" must be one of"),
                Arguments.of("/records?category=none", "\"category\""),
                Arguments.of("/records?min_attempts=-1", "\"min_attempts\""),
                Arguments.of("/records?overdue_for=yesterday", "\"overdue_for\""),
                Arguments.of("/records?tenant=%00", "tenant"),
                Arguments.of("/records?operation=%0A", "operation"),
                Arguments.of("/records?key=k", "\"key\" needs a tenant"),
                Arguments.of("/records?correlation_id=c", "\"correlation_id\" needs a tenant"),
                Arguments.of("/records?tenant=acme&correlation_id=%00", "correlation id"),
                Arguments.of("/records?id=xyz", ""),
                Arguments.of("/records/xyz", ""),
                Arguments.of("/records/xyz/tree", ""),
                Arguments.of("/audit/events?type=nothing", "\"type\""),
                Arguments.of("/audit/events?record=12", ""),
                Arguments.of("/audit/events?since=now", "\"since\""),
                Arguments.of("/audit/export?since=2030-01-01T00:00:00Z&until=2020-01-01T00:00:00Z", "before"),
                Arguments.of("/audit/verify?anchor=1", "anchor"),
                Arguments.of("/audit/follow?cursor=x", "\"cursor\""),
                Arguments.of("/dead/preview?unknown=perhaps", "\"unknown\""),
                Arguments.of("/retries?window=long", "\"window\""),
                Arguments.of("/status", "No record selected"),
                Arguments.of("/channels?name=x", "Unknown parameter"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void badQueryIsRejectedAndItsFaultNamed(String path, String said) {
        Reply reply = server.get(ADMIN, path);
        assertThat(reply.status()).as(path + " " + reply).isEqualTo(400);
        assertThat(reply.text("code")).isEqualTo("request.invalid");
        assertThat(reply.text("detail")).contains(said);
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                Arguments.of("/modes", "{\"reason\":\"r\",\"mode\":\"OFF\"}", "\"mode\" must be one of"),
                Arguments.of("/modes", "{\"reason\":\"r\",\"mode\":7}", "\"mode\" must be a string"),
                Arguments.of("/modes", "{\"reason\":\"r\",\"mode\":\"LIVE\",\"wait\":\"yes\"}", "\"wait\""),
                Arguments.of(
                        "/modes",
                        "{\"reason\":\"r\",\"mode\":\"HALTED\",\"operation\":\"a\",\"label\":\"b\"}",
                        "exclude each other"),
                Arguments.of("/modes", "{\"reason\":\"r\",\"mode\":\"HALTED\",\"oops\":1}", "Unknown field \"oops\""),
                Arguments.of("/channels/pause", "{\"reason\":\"r\"}", "\"channel\" is missing"),
                Arguments.of("/channels/pause", "{\"reason\":\"  \",\"channel\":\"mail\"}", "\"reason\""),
                Arguments.of("/channels/pause", "{\"reason\":\"a\\u0000b\",\"channel\":\"mail\"}", "reason"),
                Arguments.of(
                        "/channels/pause", "{\"reason\":\"" + "x".repeat(2_001) + "\",\"channel\":\"mail\"}", "reason"),
                Arguments.of("/channels/pause", "{\"reason\":\"r\",\"channel\":\"ma\\u0000il\"}", ""),
                Arguments.of("/dead/replays", "{\"reason\":\"r\"}", "Select messages"),
                Arguments.of("/dead/replays", "{\"reason\":\"r\",\"all\":true,\"rate\":-1}", "\"rate\""),
                Arguments.of("/dead/replays", "{\"reason\":\"r\",\"all\":true,\"tenant\":\"acme\"}", "Select messages"),
                Arguments.of("/forget", "{\"reason\":\"r\",\"tenant\":\"acme\",\"operation\":\"order\"}", "\"key\""));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void badBodyIsRejectedAndItsFaultNamed(String path, String body, String said) {
        Reply reply = server.post(ADMIN, path, body);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
        assertThat(reply.text("detail")).contains(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "null", "{\"reason\":\"a\",\"reason\":\"b\"}", "{\"reason\":\"a\"} x", "{"})
    void bodyThatIsNotOneObjectIsRejected(String body) {
        Reply reply = server.post(ADMIN, "/adopt", body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.text("code")).isEqualTo("request.body_malformed");
    }

    @Test
    void h2_formsOfOtherSitesAreRejected() {
        for (String type : new String[] {"application/x-www-form-urlencoded", "text/plain", "multipart/form-data"}) {
            Reply reply = server.post(ADMIN, "/channels/pause", type, "{\"reason\":\"r\",\"channel\":\"mail\"}");
            assertThat(reply.status()).as(type).isEqualTo(415);
        }
        Reply large = server.post(ADMIN, "/adopt", "{\"reason\":\"" + "x".repeat(70_000) + "\"}");
        assertThat(large.status()).isEqualTo(413);
        assertThat(server.engine().operator().modes().pauses()).isEmpty();
    }

    @Test
    void otherPathsAndMethodsAreRejected() {
        assertThat(server.get(ADMIN, "/nothing").text("code")).isEqualTo("request.path_not_found");
        Reply method = server.get(ADMIN, "/records/" + id("acme", "mail", "lost-1") + "/replay");
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.http().headers().firstValue("Allow")).hasValue("POST");
        assertThat(server.post(ADMIN, "/channels", "{\"reason\":\"r\"}").status())
                .isEqualTo(405);
    }

    @Test
    void requestWithoutValidCredentialsIsRejectedBeforeAnythingElse() {
        Reply unknown = server.get("nobody", "/nothing");
        assertThat(unknown.status()).isEqualTo(401);
        assertThat(unknown.text("detail")).contains("there is no such token");
        assertThat(unknown.http().headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
        Reply blocked = server.get("blocked", "/records");
        assertThat(blocked.status()).isEqualTo(429);
        assertThat(blocked.http().headers().firstValue("Retry-After")).hasValue("30");
    }

    @Test
    void badDeliveriesAreRejectedWithTheirLine() {
        Reply reply = server.post(
                VIEWER, "/deliveries/check", "application/x-ndjson", "{\"tenant\":\"acme\",\"channel\":\"m\"}\n");
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.text("detail")).contains("Line 1").contains("\"key\"");
        assertThat(server.post(VIEWER, "/deliveries/check", "application/x-ndjson", "x".repeat((1 << 20) + 2))
                        .status())
                .isEqualTo(400);
        assertThat(server.post(VIEWER, "/deliveries/check", "{}").status()).isEqualTo(415);
    }

    @Test
    void h4_forgedCursorShowsNothingOfAnotherTenant() {
        String forged = cursor("r,4," + Long.MAX_VALUE + "," + "f".repeat(64));
        Reply reply = server.get(ACME_ADMIN, "/records?cursor=" + forged);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        assertThat(reply.http().body()).contains("acme").doesNotContain("globex");
    }
}
