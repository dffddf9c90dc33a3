package dev.semel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.session.SessionServer.Reply;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While nobody is configured: this machine only, and a secret that works once. */
@Timeout(120)
class FirstLoginTest {
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final SessionServer server = new SessionServer(OperatorSettings.NONE, time);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void h1_oneTimeSecretIsExchangedOnceForAnAdminOfAllTenantsForTwelveHours() {
        String secret = server.state().oneTimeSecret().make();
        Reply login = server.logIn(secret);
        assertThat(login.text("role")).isEqualTo("admin");
        assertThat(login.json().path("all_tenants").asBoolean(false)).isTrue();
        String token = login.text("token");
        assertThat(server.bearer("POST", "/admin/x", token).http().body()).contains("name=first-login, role=ADMIN");
        assertThat(server.logIn(secret).status()).isEqualTo(401);
        time.advance(Duration.ofHours(12).minusSeconds(1));
        assertThat(server.bearer("GET", "/admin/x", token).status()).isEqualTo(200);
        time.advance(Duration.ofSeconds(1));
        assertThat(server.bearer("GET", "/admin/x", token).status()).isEqualTo(401);
        assertThat(server.events("operator.login"))
                .singleElement()
                .satisfies(event -> assertThat(event)
                        .containsEntry("actor", "first-login")
                        .containsEntry("method", "one-time")
                        .containsEntry("tenant", "*"));
        assertThat(server.events("operator.denied").toString()).doesNotContain(secret);
    }

    @Test
    void h1_ofManyWhoUseTheSecretAtOnceOneGetsASession() throws Exception {
        String secret = server.state().oneTimeSecret().make();
        ExecutorService clients = Executors.newCachedThreadPool();
        try {
            List<Future<Integer>> tries = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                tries.add(clients.submit(() -> server.logIn(secret).status()));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> each : tries) {
                statuses.add(each.get());
            }
            assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
        } finally {
            clients.shutdownNow();
        }
    }

    @Test
    void h1_secretItselfIsNoBearerTokenAndNothingElseLetsAnybodyIn() {
        String secret = server.state().oneTimeSecret().make();
        assertThat(server.bearer("GET", "/admin/x", secret).status()).isEqualTo(401);
        for (String guess : List.of("admin", "password", "semel", "", OneTimeSecret.PREFIX)) {
            assertThat(server.logIn(guess).status()).isEqualTo(401);
        }
        assertThat(server.logIn(secret).status()).as("it was not used up").isEqualTo(200);
    }

    @Test
    void h1_withoutASecretThereIsNoDefaultOne() {
        assertThat(server.logIn("").status()).isEqualTo(401);
        assertThat(server.logIn("admin").status()).isEqualTo(401);
    }

    @Test
    void h1_secretExpires() {
        String secret = server.state().oneTimeSecret().make();
        time.advance(OneTimeSecret.VALID);
        assertThat(server.logIn(secret).status()).isEqualTo(401);
    }

    @Test
    void h1_loginThatCannotBeAuditedDoesNotUseUpTheSecret() {
        String secret = server.state().oneTimeSecret().make();
        server.store().broken(true);
        assertThat(server.logIn(secret).status()).isEqualTo(503);
        server.store().broken(false);
        assertThat(server.logIn(secret).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For", "x-forwarded-for", "Forwarded", "X-Forwarded-Proto", "X-Real-IP", "Via"})
    void h1_requestThroughAProxyIsNotOfThisMachine(String header) {
        String secret = server.state().oneTimeSecret().make();
        assertThat(server.logIn(secret, header, "127.0.0.1").status()).isEqualTo(401);
        String token = server.token(secret);
        assertThat(server.send("GET", "/admin/x", "", "Authorization", "Bearer " + token, header, "127.0.0.1")
                        .status())
                .isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", token).status()).isEqualTo(200);
    }

    @Test
    void h1_withUsersThereIsNoOneTimeSecretAndItsSessionEnds() {
        String used = server.state().oneTimeSecret().make();
        String token = server.token(used);
        String unused = server.state().oneTimeSecret().make();
        server.take(SessionServer.USERS);
        assertThat(server.logIn(unused).status()).isEqualTo(401);
        assertThat(server.bearer("GET", "/admin/x", token).status()).isEqualTo(401);
        assertThat(server.logIn(SessionServer.ALICE).status()).isEqualTo(200);
    }
}
