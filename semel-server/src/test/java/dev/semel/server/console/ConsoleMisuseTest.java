package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.semel.server.console.ConsoleServer.ACME;
import static dev.semel.server.console.ConsoleServer.ADMIN;
import static dev.semel.server.console.ConsoleServer.OPERATOR;
import static dev.semel.server.console.TroubledLedger.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.RequestOptions;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared browsers, lost connections, expired sessions, hasty hands: nobody is shown or told what is not so. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleMisuseTest {
    private static final String REASON = "{\"reason\":\"ticket 4711\"}";

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

    private ConsolePage as(String secret) {
        page = new ConsolePage(chromium, server, Screen.DESKTOP).logIn(secret);
        return page;
    }

    private void logOut() {
        page.page().getByText("Log out").click();
        page.button("This browser").click();
        assertThat(page.page().locator("h1")).hasText("Log in");
    }

    @Test
    void h4_nextPersonInTheSameTabIsNotShownWhatThePersonBeforeSaw() {
        as(OPERATOR).open("#/records/" + id("globex", "mail", "lost-1"));
        assertThat(page.page().getByLabel("Payload")).containsText("unreachable");
        logOut();
        page.enter(ACME);
        Locator shell = page.page().locator("#shell");
        assertThat(shell).containsText("could not be read");
        assertThat(shell).not().containsText("unreachable");
        assertThat(shell).not().containsText("globex");
        assertThat(shell).not().containsText("These figures are old");
    }

    private void act(String verb) {
        page.dialog().getByLabel("Reason").fill("ticket 4711");
        page.dialog()
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(verb).setExact(true))
                .click();
    }

    /** Ticks the row of a dead letter. */
    private void tick(String id) {
        page.page().getByLabel("Select mail " + id.substring(0, 12)).check();
    }

    @Test
    void h5_onlyWhatAPersonDoesCountsAsUseOfTheSession() {
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        page.page().clock().install();
        page.logIn(OPERATOR);
        List<String> automatic = new CopyOnWriteArrayList<>();
        page.page().onRequest(request -> {
            if (request.url().endsWith("/admin/channels")) {
                automatic.add(String.valueOf(request.headers().get("x-semel-automatic")));
            }
        });
        page.open("#/channels");
        page.page()
                .waitForResponse("**/admin/channels", () -> page.page().clock().runFor(6_000));
        page.ready();
        page.page()
                .waitForResponse(
                        "**/admin/channels", () -> page.page().keyboard().press("."));
        assertThat(automatic).containsExactly("null", "1", "null");
    }

    @Test
    void selectionIsDroppedWithTheFilterAndWithRecordsThatAreGone() {
        as(OPERATOR).open("#/dead?operation=mail&tenant=acme&category=network");
        tick(id("acme", "mail", "lost-1"));
        tick(id("acme", "mail", "lost-2"));
        assertThat(page.button("Discard selected (2)")).isEnabled();
        server.post(ADMIN, "/records/" + id("acme", "mail", "lost-1") + "/discard", REASON);
        page.page().locator("td.box input:focus").blur();
        page.page().keyboard().press(".");
        assertThat(page.button("Discard selected (1)")).isEnabled();
        page.page().evaluate("() => { location.hash = '#/dead?operation=mail&tenant=acme&category=validation'; }");
        assertThat(page.page()
                        .getByLabel(
                                "Select mail " + id("acme", "mail", "full-1").substring(0, 12)))
                .not()
                .isChecked();
        assertThat(page.button("Discard selected")).isDisabled();
    }

    @Test
    void actionWhoseAnswerIsLostIsNotSaidToBeUndone() {
        String lost = id("acme", "mail", "lost-3");
        as(OPERATOR).open("#/records/" + lost);
        page.page().route("**/discard", route -> {
            route.fetch();
            route.abort();
        });
        page.button("Discard").click();
        act("Discard");
        assertThat(page.dialog()).containsText("Whether it was done is not known");
        assertThat(page.dialog()).not().containsText("Nothing was done");
        assertThat(page.dialog()).not().containsText("tried again by itself");
        page.page().unroute("**/discard");
        page.page()
                .route(
                        "**/discard",
                        route -> route.fulfill(
                                new Route.FulfillOptions().setStatus(409).setBody("{\"detail\":\"It runs.\"}")));
        act("Discard");
        assertThat(page.dialog()).containsText("Nothing was done. It runs.");
    }

    @Test
    void actionOnSomeThatFailsOnTheWayTellsWhatItDid() {
        as(OPERATOR).open("#/dead?operation=mail&tenant=globex&category=network");
        List.of("lost-1", "lost-2", "lost-3").forEach(key -> tick(id("globex", "mail", key)));
        page.page().route("**/" + id("globex", "mail", "lost-2") + "/discard", Route::abort);
        page.button("Discard selected (3)").click();
        act("Discard");
        assertThat(page.dialog()).containsText("1 done, 1 not known, 1 not tried.");
        assertThat(page.dialog()).not().containsText("Nothing was done");
        page.button("Back").click();
        assertThat(page.button("Discard selected (2)")).isEnabled();
    }

    @Test
    void resultOfAnActionIsToldAlthoughItsDialogWasClosed() {
        as(OPERATOR).open("#/records/" + id("globex", "mail", "lost-4"));
        AtomicReference<Route> held = new AtomicReference<>();
        page.page().route("**/discard", held::set);
        page.button("Discard").click();
        act("Discard");
        page.page().waitForCondition(() -> held.get() != null);
        page.page().keyboard().press("Escape");
        assertThat(page.dialog()).hasCount(0);
        held.get().resume();
        assertThat(page.told()).containsText("discarded");
        assertThat(page.page().locator(".title .label")).hasText("Discarded");
    }

    @Test
    void everythingStaysChosenWhenThePageIsReadAgain() {
        as(ADMIN).open("#/modes");
        page.page().getByLabel("Scope").selectOption("all");
        page.page()
                .waitForResponse(
                        "**/admin/modes",
                        () -> page.page()
                                .evaluate("() => document.dispatchEvent(new KeyboardEvent('keydown', {key: '.'}))"));
        page.ready();
        assertThat(page.field("Name")).isDisabled();
        page.button("Set the mode…").click();
        assertThat(page.dialog()).containsText("all operations, all tenants");
    }

    private Object focusedRow() {
        return page.page()
                .evaluate(
                        "() => [...document.querySelectorAll('#main [data-row]')].filter(row => row.checkVisibility())"
                                + ".findLastIndex(row => row.contains(document.activeElement))");
    }

    @Test
    void keysMoveThroughRowsWithBoxesRowsWithoutLinksAndFoldedRows() {
        as(OPERATOR).open("#/dead?operation=mail&tenant=acme");
        page.page().keyboard().press("j");
        page.page().keyboard().press("j");
        assertThat(focusedRow()).isEqualTo(1);
        page.page().locator("td.box input").first().focus();
        page.page().keyboard().press("j");
        assertThat(page.page().evaluate("() => document.activeElement.nodeName"))
                .isEqualTo("A");
        page.open("#/doctor");
        page.page().keyboard().press("j");
        page.page().keyboard().press("j");
        assertThat(focusedRow()).isEqualTo(1);
        page.page().keyboard().press(".");
        page.ready();
        page.page().keyboard().press("k");
        assertThat(focusedRow()).isEqualTo(0);
        page.open("#/server");
        page.page().keyboard().press("j");
        assertThat(page.page().evaluate("() => document.activeElement.nodeName"))
                .isEqualTo("SUMMARY");
        page.page().keyboard().press("j");
        page.page().keyboard().press("j");
        assertThat(focusedRow()).isEqualTo(2);
    }

    @Test
    void skipLinkLeadsToTheContentAndLeavesTheAddress() {
        as(OPERATOR).open("#/policies");
        page.page().locator("a.skip").focus();
        page.page().keyboard().press("Enter");
        assertThat(page.main()).isFocused();
        page.page().reload();
        page.ready();
        assertThat(page.page().locator("h1")).hasText("Policies");
        page.page().navigate("about:blank");
        page.page().navigate(server.console() + "#main");
        page.ready();
        assertThat(page.page().locator("h1")).hasText("Overview");
    }

    @Test
    void tabActsAfterALoginInAnotherTab() {
        String full = id("acme", "mail", "full-1");
        as(OPERATOR).open("#/records/" + full);
        page.page().context().clearCookies();
        // No page does it: nothing tells this one of the new session.
        APIResponse login = page.page()
                .context()
                .request()
                .post(
                        server.uri().resolve("/api/v1/session").toString(),
                        RequestOptions.create().setData(Map.of("secret", OPERATOR, "cookie", true)));
        assertThat(login.status()).isEqualTo(200);
        page.button("Discard").click();
        act("Discard");
        assertThat(page.told()).containsText("discarded");
    }

    @Test
    void h4_tabShowsWhoeverLoggedInInAnotherTab() {
        as(OPERATOR).open("#/records/" + id("globex", "crm", "o-7"));
        page.page().context().clearCookies();
        logInElsewhere(ACME);
        assertThat(page.page().locator(".person")).containsText("amir");
        assertThat(page.page().locator("#shell")).not().containsText("globex");
    }

    private void logInElsewhere(String secret) {
        Page other = page.page().context().newPage();
        other.navigate(server.console());
        other.getByLabel("Secret").fill(secret);
        other.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Log in"))
                .click();
        other.locator("#main[data-ready]").waitFor();
    }

    /** The page as an application serves it, with the session of the server in the place of the application's. */
    private void insideAnApplication(String secret) {
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        page.page().route(server.console(), route -> {
            APIResponse index = route.fetch();
            route.fulfill(new Route.FulfillOptions()
                    .setResponse(index)
                    .setBody(index.text().replace("content=\"secret\"", "content=\"external\"")));
        });
        page.visit();
        page.fetch(
                "POST",
                "/api/v1/session",
                Map.of("Content-Type", "application/json"),
                "{\"secret\":\"" + secret + "\",\"cookie\":true}");
        page.page().reload();
        page.ready();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 302})
    void h4_expiredSessionOfTheApplicationShowsNothingOfWhatWasRead(int status) {
        insideAnApplication(OPERATOR);
        page.open("#/records/" + id("acme", "crm", "o-7"));
        assertThat(page.page().getByLabel("Payload")).containsText("broken");
        page.page()
                .route(
                        "**/api/v1/admin/**",
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setStatus(status)
                                .setHeaders(Map.of("Content-Type", "text/html", "Location", "/login"))
                                .setBody("<!DOCTYPE html><title>Please sign in</title>")));
        page.page().keyboard().press(".");
        assertThat(page.main()).containsText("Your application’s login is needed");
        assertThat(page.page().locator("#shell")).not().containsText("broken");
    }

    @Test
    void laneIsReadFurtherAndIsNotSaidToBeEmptyBeforeItsEnd() {
        as(OPERATOR);
        AtomicBoolean endless = new AtomicBoolean();
        page.page().route(url -> url.contains("/admin/records?") && url.contains("lane=o-7"), route -> {
            String url = route.request().url();
            if (endless.get() || !url.contains("cursor=")) {
                route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"records\":[],\"next\":\"further\"}"));
            } else {
                route.resume(new Route.ResumeOptions().setUrl(url.replaceAll("&cursor=[^&]*", "")));
            }
        });
        page.open("#/channels?channel=crm&tenant=acme&lane=o-7");
        assertThat(page.main()).containsText("It holds up its lane.");
        endless.set(true);
        page.page().keyboard().press(".");
        assertThat(page.main()).containsText("Not all messages of the channel were read");
        assertThat(page.main()).not().containsText("Nothing waits in this lane");
        assertThat(page.main()).not().containsText("Head:");
    }
}
