package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.audit.AuditEvent;
import dev.semel.console.access.Role;
import dev.semel.operator.Operator;
import dev.semel.server.access.LocalUser;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.oidc.TestProvider;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.Scratch;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Operators of a whole server: the first start, users, an identity provider, reloads; and what the log says. */
@Timeout(120)
class OperatorLoginTest {
    private static final String SECRET = "aliceHUNTERsecret0123456789";
    private static final OperatorSettings ALICE = new OperatorSettings(
            List.of(new LocalUser("alice", List.of(SECRET), Role.ADMIN, null)), null, SessionLimits.USUAL);
    private static final Pattern ONCE =
            Pattern.compile("One-time secret, valid once within 24 h: (semel_once_[\\w-]{43}) ");

    private final String store = "sqlite:" + Scratch.directory("operators").resolve("ledger.db");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.semel");
    private Level before;

    @BeforeEach
    void listen() {
        before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setLevel(before);
    }

    private ServerConfig config(OperatorSettings operators) {
        return new ServerConfig(
                store,
                TestConfig.listen(0),
                List.of(),
                List.of(),
                new ServerConfig.Routing(List.of(), List.of(), List.of()),
                operators);
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private List<String> offered() {
        return lines().stream()
                .map(ONCE::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .toList();
    }

    private static HttpResponse<String> send(SemelServer server, String method, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve("/api/v1/session"))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> logIn(SemelServer server, String secret, String... headers) throws Exception {
        return send(server, "POST", "{\"secret\":\"" + secret + "\"}", headers);
    }

    private static int who(SemelServer server, String token) throws Exception {
        return send(server, "GET", "", "Authorization", "Bearer " + token).statusCode();
    }

    private static String token(HttpResponse<String> login) {
        return JsonMapper.shared().readTree(login.body()).path("token").asString("");
    }

    @Test
    void h1_firstStartShowsASecretOnceThatLetsOneOperatorInOnThisMachine() throws Exception {
        try (SemelServer server = SemelServer.start(config(OperatorSettings.NONE))) {
            assertThat(offered()).hasSize(1);
            String secret = offered().get(0);
            assertThat(lines())
                    .anySatisfy(line -> assertThat(line)
                            .contains("curl -X POST " + server.uri() + "/api/v1/session", "docs/security.md"));
            assertThat(logIn(server, secret, "X-Forwarded-For", "127.0.0.1").statusCode())
                    .isEqualTo(404);
            assertThat(logIn(server, secret, "Forwarded", "for=127.0.0.1").statusCode())
                    .isEqualTo(404);
            HttpResponse<String> login = logIn(server, secret);
            assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
            assertThat(who(server, token(login))).isEqualTo(200);
            assertThat(logIn(server, secret).statusCode()).isEqualTo(401);
            assertThat(server.reload(config(OperatorSettings.NONE))).isTrue();
            assertThat(who(server, token(login))).as("after a reload").isEqualTo(200);
            assertThat(offered()).as("none is made by a reload").hasSize(1);
            assertThat(lines().toString()).doesNotContain(token(login));
        }
        try (SemelServer again = SemelServer.start(config(OperatorSettings.NONE))) {
            assertThat(offered()).hasSize(2).doesNotHaveDuplicates();
            assertThat(logIn(again, offered().get(0)).statusCode())
                    .as("of the process before")
                    .isEqualTo(401);
        }
    }

    @Test
    void h1_withUsersNoSecretIsShownAndAReloadWithoutThemShowsANewOne() throws Exception {
        try (SemelServer server = SemelServer.start(config(ALICE))) {
            assertThat(offered()).isEmpty();
            String alice = token(logIn(server, SECRET));
            assertThat(logIn(server, SECRET, "X-Forwarded-For", "192.0.2.1").statusCode())
                    .as("users are let in from elsewhere, too")
                    .isEqualTo(200);
            server.reload(config(OperatorSettings.NONE));
            assertThat(who(server, alice)).isEqualTo(401);
            assertThat(logIn(server, SECRET).statusCode()).isEqualTo(401);
            assertThat(offered()).hasSize(1);
            String first = token(logIn(server, offered().get(0)));
            assertThat(who(server, first)).isEqualTo(200);
            server.reload(config(ALICE));
            assertThat(who(server, first)).isEqualTo(401);
        }
        assertThat(lines().toString()).doesNotContain("HUNTER");
    }

    @Test
    void tokenOfAnIdentityProviderIsExchangedAndAuditedAndNeverLogged() throws Exception {
        try (TestProvider provider = new TestProvider()) {
            OperatorSettings settings = new OperatorSettings(List.of(), provider.settings(), SessionLimits.USUAL);
            String good = provider.token(TimeSource.system(), "ops");
            String bad = provider.token(TimeSource.system(), "nobodies");
            try (SemelServer server = SemelServer.start(config(settings))) {
                assertThat(offered()).isEmpty();
                assertThat(logIn(server, good).statusCode()).isEqualTo(200);
                assertThat(logIn(server, bad).statusCode()).isEqualTo(401);
            }
            assertThat(events()).contains("operator.login alice@example.com", "operator.denied null");
            assertThat(lines().toString())
                    .doesNotContain(good.substring(good.lastIndexOf('.')))
                    .doesNotContain(bad.substring(bad.lastIndexOf('.')));
        }
    }

    /** Types and actors of the events in the store, after the server has closed it. */
    private List<String> events() {
        try (Store opened = Stores.open(store, StoreProvider.Options.EXISTING)) {
            return Operator.on(opened).events(AuditFilter.ALL, AuditRow.Position.END, 100).stream()
                    .map(AuditEvent::new)
                    .map(each -> each.type() + " " + each.fields().get("actor"))
                    .toList();
        }
    }

    @Test
    void denialsAreInTheAuditAfterTheServerHasStopped() throws Exception {
        try (SemelServer server = SemelServer.start(config(ALICE))) {
            assertThat(logIn(server, "wrong-secret-0123456789").statusCode()).isEqualTo(401);
        }
        assertThat(events()).contains("operator.denied null");
    }
}
