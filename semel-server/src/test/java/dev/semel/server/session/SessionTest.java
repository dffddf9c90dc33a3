package dev.semel.server.session;

import static dev.semel.server.session.SessionServer.ALICE;
import static dev.semel.server.session.SessionServer.ALICE_NEXT;
import static dev.semel.server.session.SessionServer.BOB;
import static dev.semel.server.session.SessionServer.USERS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.access.Role;
import dev.semel.server.access.FailedAttempts;
import dev.semel.server.access.LocalUser;
import dev.semel.server.session.SessionServer.Reply;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logins, sessions and their limits, as bearer and as cookie. */
@Timeout(120)
class SessionTest {
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final SessionServer server = new SessionServer(USERS, time);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void secretIsExchangedForASessionThatTellsWhoItIs() {
        Reply login = server.logIn(BOB);
        assertThat(login.status()).isEqualTo(200);
        assertThat(login.text("token")).startsWith("semel_session_").hasSize(14 + 43);
        assertThat(login.text("expires"))
                .isEqualTo(Instant.ofEpochMilli(time.millis())
                        .plus(Duration.ofHours(12))
                        .toString());
        assertThat(login.cookie()).isEmpty();
        Reply who = server.bearer("GET", "/session", login.text("token"));
        assertThat(who.text("name")).isEqualTo("bob");
        assertThat(who.text("role")).isEqualTo("viewer");
        assertThat(who.text("tenant")).isEqualTo("acme");
        assertThat(who.http().body()).doesNotContain(login.text("token"));
        assertThat(server.bearer("GET", "/admin/x", login.text("token")).http().body())
                .contains("Person[name=bob, role=VIEWER, tenant=acme, subject=null]");
        assertThat(server.events("operator.login"))
                .singleElement()
                .satisfies(event -> assertThat(event)
                        .containsEntry("actor", "bob")
                        .containsEntry("actor_type", "operator")
                        .containsEntry("tenant", "acme")
                        .containsEntry("method", "local")
                        .containsEntry("role", "viewer")
                        .containsEntry("address", "127.0.0.1"));
    }

    @Test
    void secretItselfIsABearerToken() {
        for (String secret : List.of(ALICE, ALICE_NEXT)) {
            assertThat(server.bearer("POST", "/admin/x", secret).http().body()).contains("name=alice, role=ADMIN");
        }
        assertThat(server.bearer("GET", "/session", ALICE)
                        .json()
                        .path("all_tenants")
                        .asBoolean(false))
                .isTrue();
        assertThat(server.bearer("POST", "/admin/x", ALICE + "x").status()).isEqualTo(401);
        assertThat(server.send("GET", "/admin/x", "").status()).isEqualTo(401);
        assertThat(server.send(
                                "GET",
                                "/admin/x",
                                "",
                                "Authorization",
                                "Bearer " + ALICE,
                                "Authorization",
                                "Bearer " + BOB)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void h5_sessionEndsAfterItsIdleTimeAndAfterItsLongestTime() {
        String idle = server.token(ALICE);
        time.advance(Duration.ofMinutes(30));
        assertThat(server.bearer("GET", "/admin/x", idle).status()).isEqualTo(401);

        String used = server.token(ALICE);
        for (int i = 0; i < 12 * 60 / 29; i++) {
            time.advance(Duration.ofMinutes(29));
            assertThat(server.bearer("GET", "/admin/x", used).status()).isEqualTo(200);
        }
        time.advance(Duration.ofMinutes(29));
        assertThat(server.bearer("GET", "/admin/x", used).status()).isEqualTo(401);
        assertThat(server.state().sessions().count()).isZero();
    }

    @Test
    void h5_requestsThatAPageRepeatsByItselfDoNotKeepASession() {
        String token = server.token(ALICE);
        String[] repeated = {"Authorization", "Bearer " + token, "X-Semel-Automatic", "1"};
        time.advance(Duration.ofMinutes(29));
        assertThat(server.bearer("GET", "/admin/x", token).status()).isEqualTo(200);
        time.advance(Duration.ofMinutes(29));
        assertThat(server.send("GET", "/admin/x", "", repeated).status()).isEqualTo(200);
        time.advance(Duration.ofMinutes(1));
        assertThat(server.send("GET", "/admin/x", "", repeated).status()).isEqualTo(401);
    }

    @Test
    void h5_logoutEndsThisSessionAndLogoutEverywhereAllOfTheOperator() {
        String one = server.token(ALICE);
        String other = server.token(ALICE_NEXT);
        String bob = server.token(BOB);
        assertThat(server.bearer("DELETE", "/session", one).status()).isEqualTo(204);
        assertThat(server.bearer("GET", "/admin/x", one).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", other).status()).isEqualTo(200);
        assertThat(server.bearer("DELETE", "/session", ALICE).status()).isEqualTo(400);
        assertThat(server.bearer("DELETE", "/session?everywhere=true", ALICE).status())
                .isEqualTo(204);
        assertThat(server.bearer("GET", "/admin/x", other).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", bob).status()).isEqualTo(200);
    }

    @Test
    void h5_furtherSessionOfAnOperatorEndsTheOldest() {
        String first = server.token(ALICE);
        String second = server.token(ALICE);
        String bob = server.token(BOB);
        server.token(ALICE);
        server.token(ALICE);
        assertThat(server.bearer("GET", "/admin/x", first).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", second).status()).isEqualTo(200);
        assertThat(server.bearer("GET", "/admin/x", bob).status()).isEqualTo(200);
    }

    @Test
    void h5_manyWrongSecretsAreBlockedAndDoNotStopValidOnes() {
        String session = server.token(ALICE);
        for (int i = 0; i < FailedAttempts.ALLOWED; i++) {
            assertThat(server.logIn("wrongwrongwrong0123456789" + i).status()).isEqualTo(401);
        }
        Reply blocked = server.logIn("wrongwrongwrong0123456789");
        assertThat(blocked.status()).isEqualTo(429);
        assertThat(blocked.http().headers().firstValue("Retry-After")).hasValue("60");
        assertThat(blocked.text("code")).isEqualTo("request.rate_limited");
        assertThat(server.bearer("GET", "/admin/x", "alsowrong").status()).isEqualTo(429);
        assertThat(server.bearer("GET", "/admin/x", session).status()).isEqualTo(200);
        assertThat(server.logIn(BOB).status()).isEqualTo(200);
    }

    @Test
    void h5_thousandsOfBadTokensAreFewEventsOfTheAuditWithAllOfThemCounted() {
        String good = server.token(BOB);
        int tries = 3_000;
        for (int i = 0; i < tries; i++) {
            assertThat(server.bearer("GET", "/admin/x", "bad-token-" + i).status())
                    .isIn(401, 429);
            if (i % 500 == 0) {
                time.advance(Duration.ofSeconds(1));
                assertThat(server.bearer("GET", "/admin/x", good).status()).isEqualTo(200);
            }
        }
        assertThat(server.audit().waiting()).isLessThanOrEqualTo(10);
        List<Map<String, Object>> events = server.events("operator.denied");
        assertThat(events).hasSizeLessThanOrEqualTo(10);
        assertThat(events.stream()
                        .mapToLong(each -> Long.parseLong(each.get("count").toString()))
                        .sum())
                .isEqualTo(tries);
        assertThat(events)
                .allSatisfy(each -> assertThat(each)
                        .containsEntry("reason", "the secret or token is unknown")
                        .containsEntry("address", "127.0.0.1")
                        .containsEntry("tenant", "*"));
        assertThat(events.toString()).doesNotContain("bad-token");
    }

    @Test
    void sessionEndsWithTheSecretTheRoleOrTheUserThatItRestsOn() {
        String alice = server.token(ALICE);
        String next = server.token(ALICE_NEXT);
        String bob = server.token(BOB);
        server.take(new OperatorSettings(
                List.of(
                        new LocalUser("alice", List.of(ALICE_NEXT), Role.ADMIN, null),
                        new LocalUser(
                                "bob",
                                List.of(BOB),
                                Role.OPERATOR,
                                USERS.users().get(1).tenant())),
                null,
                USERS.sessions()));
        assertThat(server.bearer("GET", "/admin/x", alice).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", next).status()).isEqualTo(200);
        assertThat(server.bearer("GET", "/admin/x", bob).status()).isEqualTo(401);
        server.take(USERS);
        assertThat(server.bearer("GET", "/admin/x", bob).status())
                .as("it does not come back")
                .isEqualTo(401);
    }

    @Test
    void loginThatCannotBeAuditedIsRefused() {
        server.store().broken(true);
        Reply refused = server.logIn(ALICE);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(server.state().sessions().count()).isZero();
        assertThat(server.bearer("GET", "/admin/x", "wrong-token").status())
                .as("denied requests are counted until the store is back")
                .isEqualTo(401);
        server.store().broken(false);
        assertThat(server.events("operator.denied")).hasSize(1);
        assertThat(server.logIn(ALICE).status()).isEqualTo(200);
    }

    @Test
    void sessionIsNotExchangedForAnotherOne() {
        assertThat(server.logIn(server.token(ALICE)).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"secret\":1}",
                "{\"secret\":\"x\",\"user\":\"a\"}",
                "{\"secret\":\"a\",\"secret\":\"b\"}"
            })
    void malformedLoginIsRejected(String body) {
        assertThat(server.send("POST", "/session", body).status()).isEqualTo(400);
    }

    @Test
    void otherMethodsAndLargeBodiesAreRejected() {
        assertThat(server.send("PUT", "/session", "{}").status()).isEqualTo(405);
        assertThat(server.logIn("x".repeat(13_000)).status()).isEqualTo(413);
        assertThat(server.send("POST", "/session", "").status()).isEqualTo(415);
    }

    @Test
    void secretsAreInNoAnswerAndNoDescription() {
        String body = server.logIn(ALICE + "x") + "" + server.bearer("GET", "/session", ALICE + "x")
                + server.bearer("GET", "/session", ALICE) + USERS + USERS.users()
                + dev.semel.server.access.LocalUsers.of(USERS.users());
        assertThat(body).doesNotContain("HUNTER");
        Sessions.OpenedSession opened =
                server.state().sessions().open(new Login.ByOneTimeSecret(), OneTimeSecret.SESSION);
        assertThat(opened.toString() + new SessionCookie.CookieText(opened.token(), Duration.ZERO))
                .doesNotContain(opened.token());
    }
}
