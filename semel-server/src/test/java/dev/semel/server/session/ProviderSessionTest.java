package dev.semel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.oidc.TestProvider;
import dev.semel.server.session.SessionServer.Reply;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators with tokens of an identity provider, as bearer and in a session. */
@Timeout(120)
class ProviderSessionTest {
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final TestProvider provider = new TestProvider();
    private final OperatorSettings settings =
            new OperatorSettings(SessionServer.USERS.users(), provider.settings(), SessionLimits.USUAL);
    private final SessionServer server = new SessionServer(settings, time);

    @AfterEach
    void close() {
        server.close();
        provider.close();
    }

    @Test
    void tokenOfTheProviderIsABearerTokenBesideLocalSecrets() {
        String token = provider.token(time, "ops");
        assertThat(server.bearer("POST", "/admin/x", token).http().body())
                .contains("name=alice@example.com, role=OPERATOR, tenant=acme");
        assertThat(server.bearer("GET", "/admin/x", SessionServer.BOB).status()).isEqualTo(200);
        Reply refused = server.bearer("GET", "/admin/x", provider.token(time, "nobodies"));
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.http().body()).contains("has a role here");
    }

    @Test
    void h5_sessionEndsWithTheTokenThatItRestsOn() {
        String session = server.token(provider.token(time, "ops"));
        time.advance(Duration.ofMinutes(5).minusSeconds(1));
        assertThat(server.bearer("GET", "/admin/x", session).status()).isEqualTo(200);
        time.advance(Duration.ofSeconds(1));
        assertThat(server.bearer("GET", "/admin/x", session).status()).isEqualTo(401);
        assertThat(server.events("operator.login"))
                .singleElement()
                .satisfies(event -> assertThat(event)
                        .containsEntry("actor", "alice@example.com")
                        .containsEntry("method", "oidc"));
    }

    @Test
    void sessionEndsWhenTheProviderIsRemovedAndItsKeysAreKeptOtherwise() {
        String session = server.token(provider.token(time, "ops"));
        int requests = provider.keyRequests();
        server.take(new OperatorSettings(List.of(), provider.settings(), SessionLimits.USUAL));
        assertThat(server.bearer("GET", "/admin/x", session).status()).isEqualTo(200);
        assertThat(server.bearer("GET", "/admin/x", provider.token(time, "ops")).status())
                .isEqualTo(200);
        assertThat(provider.keyRequests()).isEqualTo(requests);
        server.take(SessionServer.USERS);
        assertThat(server.bearer("GET", "/admin/x", session).status()).isEqualTo(401);
    }

    @Test
    void h5_twoPeopleOfTheSameNameShareNeitherSessionsNorTheAudit() {
        server.take(new OperatorSettings(List.of(), provider.settingsByName(), SessionLimits.USUAL));
        String one = server.token(provider.tokenOf("u-1", "Ann Lee", time, "ops"));
        String other = server.token(provider.tokenOf("u-2", "Ann Lee", time, "ops"));
        assertThat(server.bearer("DELETE", "/session?everywhere=true", one).status())
                .isEqualTo(204);
        assertThat(server.bearer("GET", "/admin/x", one).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", other).status()).isEqualTo(200);
        assertThat(server.events("operator.login"))
                .extracting(event -> event.get("actor"))
                .containsExactlyInAnyOrder("Ann Lee (u-1)", "Ann Lee (u-2)");
        assertThat(server.events("operator.login"))
                .extracting(event -> event.get("subject"))
                .containsExactlyInAnyOrder("u-1", "u-2");
    }

    @Test
    void nameOfALocalUserIsNotTakenFromAToken() {
        String token = provider.tokenOf("bob", time, "admins");
        Reply refused = server.bearer("GET", "/admin/x", token);
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.http().body()).contains("is a user of the configuration file");
    }

    @Test
    void providerThatIsDownIsNotCountedAgainstItsOperators() {
        provider.stop();
        OperatorSettings other = new OperatorSettings(
                List.of(), dev.semel.server.oidc.TestProvider.unreachable(provider.settings()), SessionLimits.USUAL);
        server.take(other);
        String token = provider.token(time, "ops");
        for (int i = 0; i < 50; i++) {
            Reply reply = server.bearer("GET", "/admin/x", token);
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.http().body()).contains("retry later");
        }
        assertThat(server.events("operator.denied")).isEmpty();
    }

    @Test
    void tokensOfTheProviderAreInNoAnswerAndNoEvent() {
        String token = provider.token(time, "nobodies");
        String told =
                server.logIn(token) + "" + server.bearer("GET", "/session", token) + server.events("operator.denied");
        for (String part : token.split("\\.")) {
            assertThat(told).doesNotContain(part);
        }
    }
}
