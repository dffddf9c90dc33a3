package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.semel.server.console.ConsoleServer.ACME;
import static dev.semel.server.console.ConsoleServer.ADMIN;
import static dev.semel.server.console.ConsoleServer.OPERATOR;
import static dev.semel.server.console.ConsoleServer.VIEWER;
import static dev.semel.server.console.TroubledLedger.MARKUP;
import static dev.semel.server.console.TroubledLedger.id;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.browser.Chromium;
import dev.semel.server.Embedding;
import dev.semel.server.SemelServer;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import dev.semel.testkit.Scratch;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Who gets in, what they see, and what pages of other sites cannot do. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ConsoleSecurityTest {
    private static final List<String> PAGES = List.of(
            "#/",
            "#/records",
            "#/records?limit=200",
            "#/dead",
            "#/dead?operation=mail",
            "#/channels",
            "#/modes",
            "#/audit",
            "#/retries");

    private ConsoleServer server;
    private Chromium chromium;
    private ConsolePage page;

    @BeforeAll
    void start() {
        chromium = Chromium.shared();
        server = ConsoleServer.start(LedgerKind.SQLITE);
    }

    @AfterEach
    void leave() {
        if (page != null) {
            page.close();
            page = null;
        }
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private ConsolePage browser() {
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        return page;
    }

    @Test
    void h1_nothingIsShownBeforeTheLoginAndAWrongSecretIsRejectedInWords() {
        browser().visit();
        assertThat(page.page().locator("h1")).hasText("Log in");
        assertThat(page.page().locator("nav")).hasCount(0);
        page.enter("admin");
        assertThat(page.main()).containsText("You are not logged in.");
        assertThat(page.main()).containsText("Correlation id for the log");
        page.enter(VIEWER);
        page.ready();
        assertThat(page.page().locator(".person")).containsText("vera");
    }

    @Test
    void h1_firstLoginIsByTheSecretOfTheLogOnce() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.semel");
        Level before = logger.getLevel();
        logger.setLevel(Level.WARN);
        log.start();
        logger.addAppender(log);
        Path file = Scratch.directory("first").resolve("semel.yaml");
        Files.writeString(
                file,
                "store: sqlite:" + file.resolveSibling("ledger.db") + "\nlisten: {address: 127.0.0.1, port: 0}\n");
        try (SemelServer first =
                SemelServer.start(ConfigFile.read(file, Secrets.of(Map.of())).config())) {
            Matcher offered = Pattern.compile("semel_once_[\\w-]{43}").matcher(log.list.toString());
            assertThat(offered.find()).isTrue();
            browser().page().navigate(first.uri().resolve("/console/").toString());
            assertThat(page.main()).containsText("one-time secret into its log");
            page.enter(offered.group());
            page.ready();
            assertThat(page.page().locator(".person")).containsText("first-login");
            assertThat(page.main()).containsText("Nothing needs a person now");
            page.page().context().clearCookies();
            page.page().reload();
            page.enter(offered.group());
            assertThat(page.main()).containsText("the one-time secret is wrong, used or expired");
        } finally {
            logger.detachAppender(log);
            logger.setLevel(before);
        }
    }

    @Test
    void h3_figuresOfTheProgramAreShownAsText() throws Exception {
        Path file = Scratch.directory("figures").resolve("semel.yaml");
        Files.writeString(
                file,
                "store: sqlite:" + file.resolveSibling("ledger.db") + "\nlisten: {address: 127.0.0.1, port: 0}\n");
        List<ProgramFigure> figures =
                List.of(new ProgramFigure("doubled", MARKUP, "<b>twice</b>", ProgramFigure.Tone.BAD));
        try (SemelServer program = SemelServer.start(
                ConfigFile.read(file, Secrets.of(Map.of())).config(), Embedding.PLAIN.withFigures(() -> figures))) {
            browser().page().navigate(program.uri().resolve("/console/").toString());
            page.enter(program.makeOneTimeSecret());
            page.ready();
            assertThat(page.page().getByLabel("Figures of this program")).containsText("doubled");
            assertThat(page.page().getByLabel("Figures of this program")).containsText(MARKUP);
            assertThat(page.page().getByLabel("Figures of this program")).containsText("<b>twice</b>");
            assertThat(page.page().locator("#main img, #main script, #main b:has-text('twice')"))
                    .hasCount(0);
            assertThat(page.page()).not().hasTitle("broken");
        }
    }

    @Test
    void h1_insideAnApplicationItsLoginIsNeeded() {
        browser().page().route(server.console(), route -> {
            APIResponse index = route.fetch();
            route.fulfill(new Route.FulfillOptions()
                    .setResponse(index)
                    .setBody(index.text().replace("content=\"secret\"", "content=\"external\"")));
        });
        page.visit();
        assertThat(page.main()).containsText("Your application’s login is needed");
        assertThat(page.page().locator("input")).hasCount(0);
    }

    @Test
    void h2_requestsThatChangeSomethingNeedTheTokenOfThePage() {
        browser().logIn(OPERATOR);
        String path = "/api/v1/admin/records/" + id("acme", "mail", "lost-1") + "/discard";
        String body = "{\"reason\":\"forged\"}";
        assertThat(page.fetch("POST", path, Map.of("Content-Type", "application/json"), body))
                .isIn(401, 403);
        assertThat(page.fetch("POST", path, Map.of("Content-Type", "text/plain"), body))
                .isIn(401, 403, 415);
        assertThat(page.fetch(
                        "POST",
                        path,
                        Map.of("Content-Type", "application/json", "X-CSRF-Token", "wrong", "X-Semel-Console", "1"),
                        body))
                .isIn(401, 403);
        assertThat(server.stateOf(id("acme", "mail", "lost-1"))).isEqualTo("FAILED_TERMINAL");
    }

    @Test
    void h2_lookingAtEveryPageChangesNothing() {
        List<String> changing = new ArrayList<>();
        browser().logIn(ADMIN);
        page.page().onRequest((Request request) -> {
            if (!request.method().equals("GET")) {
                changing.add(request.method() + " " + request.url());
            }
        });
        String before =
                server.get(ADMIN, "/audit/events?limit=1").path("events").toString();
        PAGES.forEach(page::open);
        assertThat(changing).isEmpty();
        assertThat(server.get(ADMIN, "/audit/events?limit=1").path("events")).hasToString(before);
    }

    @Test
    void h3_markupInErrorsIsShownAsText() {
        browser().logIn(OPERATOR).open("#/records/" + id("acme", "mail", "full-1"));
        assertThat(page.main()).containsText(MARKUP);
        page.open("#/dead?operation=mail&category=validation");
        assertThat(page.main()).containsText("mailbox full: <img src=x");
        page.open("#/records?tenant=acme&operation=%3Cb%3Ebold&lane=%3Cimg%20src=x%3E");
        assertThat(page.page().getByLabel("Active filters")).containsText("<b>bold");
        page.open("#/audit?type=system.error");
        assertThat(page.page().locator("#main img, #main script, #main b:has-text('bold')"))
                .hasCount(0);
        assertThat(page.page()).not().hasTitle("broken");
        Object policy = page.page()
                .evaluate(
                        "() => fetch(location.pathname).then(answer => answer.headers.get('Content-Security-Policy'))");
        assertThat(String.valueOf(policy))
                .contains("default-src 'none'", "script-src 'self'")
                .doesNotContain("unsafe");
    }

    @Test
    void h3_markupInPayloadResultKeyAndTenantIsShownAsText() {
        String key = "<img/src=x/onerror=document.title='broken'>";
        String planted = server.plant(key);
        String encoded = URLEncoder.encode(MARKUP, StandardCharsets.UTF_8);
        browser().logIn(ADMIN).open("#/records/" + planted);
        String script = "<script>document.title='broken'</script>";
        assertThat(page.page().getByLabel("Payload")).containsText(script);
        assertThat(page.page().getByLabel("Result")).containsText(script);
        assertThat(page.page().locator("dl.facts")).containsText(MARKUP);
        markupIsText();
        page.open("#/records?operation=report&tenant=" + encoded + "&key="
                + URLEncoder.encode(key, StandardCharsets.UTF_8));
        assertThat(page.page().getByLabel("Active filters")).containsText("key " + key);
        assertThat(page.rows()).hasCount(1);
        assertThat(page.rows()).containsText(MARKUP);
        markupIsText();
        page.open("#/audit?tenant=" + encoded);
        assertThat(page.rows().first()).containsText(MARKUP);
        markupIsText();
        for (String address : List.of("#/?tenant=", "#/dead?tenant=", "#/channels?channel=mail&lane=x&tenant=")) {
            page.open(address + encoded);
            markupIsText();
        }
        assertThat(page.errors()).isEmpty();
    }

    private void markupIsText() {
        assertThat(page.page().locator("#shell img, #shell script, dialog img")).hasCount(0);
        assertThat(page.page()).not().hasTitle("broken");
    }

    @Test
    void h3_injectedScriptDoesNotRun() {
        browser().logIn(VIEWER);
        page.page()
                .evaluate(
                        "() => { const made = document.createElement('script'); made.textContent = 'window.ran = true'; document.body.append(made); }");
        assertThat(page.page().evaluate("() => window.ran === undefined")).isEqualTo(true);
        assertThat(page.errors()).anyMatch(each -> each.contains("Content Security Policy"));
    }

    @Test
    void h4_personOfOneTenantSeesNothingOfAnother() throws Exception {
        browser().logIn(ACME);
        for (String address : PAGES) {
            page.open(address);
            assertThat(page.page().content()).as(address).doesNotContain("globex");
        }
        page.open("#/records/" + id("globex", "mail", "lost-1"));
        assertThat(page.main()).containsText("could not be read");
        page.open("#/records?tenant=globex");
        assertThat(page.main()).containsText("nothing of another exists for you");
        page.open("#/records?id=" + id("globex", "mail", "lost-1").substring(0, 12));
        assertThat(page.rows()).hasCount(0);
        page.open("#/audit");
        Download export =
                page.page().waitForDownload(() -> page.link("Export as NDJSON").click());
        assertThat(Files.readString(export.path())).contains("acme").doesNotContain("globex");
        page.open("#/doctor");
        assertThat(page.main()).containsText("concerns all tenants");
    }

    @Test
    void h5_logoutEndsTheSessionHereOrEverywhere() {
        ConsolePage other = new ConsolePage(chromium, server, Screen.DESKTOP).logIn(VIEWER);
        try {
            browser().logIn(VIEWER);
            page.page().getByText("Log out").click();
            page.button("This browser").click();
            assertThat(page.page().locator("h1")).hasText("Log in");
            assertThat(page.fetch("GET", "/api/v1/admin/me", Map.of(), "")).isEqualTo(401);
            other.open("#/policies");
            assertThat(other.page().locator("h1")).hasText("Policies");
            page.enter(VIEWER);
            page.ready();
            page.page().getByText("Log out").click();
            page.button("Log out everywhere: end all my sessions").click();
            assertThat(page.page().locator("h1")).hasText("Log in");
            other.page().keyboard().press(".");
            assertThat(other.page().locator("h1")).hasText("Log in");
            assertThat(other.page().locator("#shell")).not().containsText("max-attempts");
        } finally {
            other.close();
        }
    }

    /** Late: afterwards the audit is damaged. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    void h6_eventThatWasEditedIsShownByTheVerification() throws SQLException {
        browser().logIn(VIEWER).open("#/audit");
        page.button("Verify the seals").click();
        assertThat(page.main()).containsText("No event was changed, removed or inserted");
        server.tamper("UPDATE semel_audit SET tenant = 'globex' WHERE seq ="
                + " (SELECT min(seq) FROM semel_audit WHERE tenant = 'acme')");
        page.button("Verify the seals").click();
        Locator damage = page.page().locator(".notice.bad");
        assertThat(damage).containsText("CHANGED");
        assertThat(damage).containsText(Pattern.compile("Event \\d+ was changed after seal \\d+ was made\\."));
        assertThat(page.main()).not().containsText("Intact");
        assertThat(page.main()).not().containsText("Keep this anchor");
    }

    /** Last: the address of the tests is blocked for a while afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void h5_guessingIsSlowedDownAndTheLoginSaysForHowLong() {
        browser().visit();
        for (int i = 0; i < 200 && !page.main().textContent().contains("Too many"); i++) {
            page.fetch(
                    "POST",
                    "/api/v1/session",
                    Map.of("Content-Type", "application/json"),
                    "{\"secret\":\"guess-" + i + "\"}");
            if (i % 10 == 9) {
                page.enter("guess");
                page.page()
                        .locator(".told")
                        .getByText(Pattern.compile("Rejected|Too many"))
                        .first()
                        .waitFor();
            }
        }
        assertThat(page.main()).containsText("Too many failed logins came from this address. Try again in");
    }
}
