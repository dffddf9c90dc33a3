package dev.semel.server.session;

import static dev.semel.server.session.SessionServer.ALICE;
import static dev.semel.server.session.SessionServer.USERS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.session.SessionServer.Reply;
import dev.semel.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of browsers: the cookie, and the protection against requests of other pages. */
@Timeout(120)
class CookieTest {
    private final SessionServer server = new SessionServer(USERS, new ManualTime(1_700_000_000_000L));

    @AfterEach
    void close() {
        server.close();
    }

    private Reply logIn(String... headers) {
        return server.send("POST", "/session", "{\"secret\":\"" + ALICE + "\",\"cookie\":true}", headers);
    }

    private static String pair(Reply login) {
        return login.cookie().split(";")[0];
    }

    @Test
    void h2_cookieIsHiddenFromScriptsAndOtherSitesAndItsTokenIsNotInTheAnswer() {
        Reply login = logIn();
        assertThat(login.cookie())
                .matches("semel-session=semel_session_[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict");
        assertThat(login.text("token")).isEmpty();
        assertThat(login.text("csrf_token")).hasSize(43);
        assertThat(login.http().body()).doesNotContain("semel_session_");
        Reply who = server.send("GET", "/session", "", "Cookie", pair(login));
        assertThat(who.text("name")).isEqualTo("alice");
        assertThat(who.text("csrf_token")).isEqualTo(login.text("csrf_token"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void h2_changeByCookieNeedsTheTokenOfItsSession(String method) {
        Reply login = logIn();
        Reply other = logIn();
        String cookie = pair(login);
        assertThat(server.send(method, "/admin/x", "", "Cookie", cookie).status())
                .isEqualTo(401);
        for (String wrong : new String[] {"x", other.text("csrf_token"), login.text("csrf_token") + "x"}) {
            Reply refused = server.send(method, "/admin/x", "", "Cookie", cookie, "X-CSRF-Token", wrong);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.http().body()).contains("X-CSRF-Token");
        }
        String right = login.text("csrf_token");
        assertThat(server.send(method, "/admin/x", "", "Cookie", cookie, "X-CSRF-Token", right)
                        .status())
                .isEqualTo(200);
        assertThat(server.send(
                                method,
                                "/admin/x",
                                "",
                                "Cookie",
                                cookie,
                                "X-CSRF-Token",
                                right,
                                "Sec-Fetch-Site",
                                "cross-site")
                        .status())
                .isEqualTo(401);
        assertThat(server.events("operator.denied")).isNotEmpty();
    }

    @Test
    void h2_readingByCookieNeedsNoTokenAndAHeaderNeedsNoneEither() {
        String cookie = pair(logIn());
        assertThat(server.send("GET", "/admin/x", "", "Cookie", cookie).status())
                .isEqualTo(200);
        String token = cookie.substring(cookie.indexOf('=') + 1);
        assertThat(server.bearer("POST", "/admin/x", token).status()).isEqualTo(200);
    }

    @Test
    void h2_loginFromAPageOfAnotherSiteIsRefused() {
        assertThat(logIn("Sec-Fetch-Site", "cross-site").status()).isEqualTo(401);
        assertThat(logIn("Sec-Fetch-Site", "same-origin").status()).isEqualTo(200);
        Reply form = server.send("POST", "/session", "");
        assertThat(form.status()).as("a form cannot send JSON").isEqualTo(415);
    }

    @Test
    void h2_logoutByCookieNeedsTheTokenAndRemovesTheCookie() {
        Reply login = logIn();
        assertThat(server.send("DELETE", "/session", "", "Cookie", pair(login)).status())
                .isEqualTo(401);
        Reply out =
                server.send("DELETE", "/session", "", "Cookie", pair(login), "X-CSRF-Token", login.text("csrf_token"));
        assertThat(out.status()).isEqualTo(204);
        assertThat(out.cookie()).startsWith("semel-session=; Path=/; Max-Age=0;");
        assertThat(server.send("GET", "/session", "", "Cookie", pair(login)).status())
                .isEqualTo(401);
    }

    @Test
    void cookieThatIsThereTwiceIsNotUsed() {
        String cookie = pair(logIn());
        assertThat(server.send("GET", "/admin/x", "", "Cookie", "semel-session=evil; " + cookie)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void h2_behindAProxyWithTlsTheCookieIsSecureAndBoundToTheHost() {
        server.take(new OperatorSettings(
                USERS.users(), null, new SessionLimits(Duration.ofMinutes(30), Duration.ofHours(12), 3, true)));
        Reply login = logIn();
        assertThat(login.cookie())
                .startsWith("__Host-semel-session=semel_session_")
                .contains("; Path=/;", "; HttpOnly", "; SameSite=Strict", "; Secure")
                .doesNotContain("Domain");
        assertThat(server.send("GET", "/admin/x", "", "Cookie", pair(login)).status())
                .isEqualTo(200);
        assertThat(server.send("GET", "/admin/x", "", "Cookie", pair(login).replace("__Host-", ""))
                        .status())
                .as("a cookie that another host may have set")
                .isEqualTo(401);
    }
}
