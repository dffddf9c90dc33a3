package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.semel.server.console.ConsoleServer.ADMIN;
import static dev.semel.server.console.ConsoleServer.OPERATOR;
import static dev.semel.server.console.ConsoleServer.VIEWER;
import static dev.semel.server.console.TroubledLedger.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import dev.semel.testkit.Await;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Every page and every action in a real browser, on every store. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleSuite {
    private final LedgerKind kind;
    private ConsoleServer server;
    private Chromium chromium;
    private ConsolePage page;

    ConsoleSuite(LedgerKind kind) {
        this.kind = kind;
    }

    @BeforeAll
    void start() {
        chromium = Chromium.shared();
        server = ConsoleServer.start(kind);
    }

    @AfterEach
    void nothingFailedInTheBrowser() {
        if (page != null) {
            List<String> errors = List.copyOf(page.errors());
            page.close();
            page = null;
            assertThat(errors).isEmpty();
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

    @Test
    void everyPageIsShown() {
        as(ADMIN);
        for (ConsoleAddress each : ConsoleAddress.values()) {
            page.open(each.address());
            assertThat(page.page().locator("h1")).containsText(each.heading());
            assertThat(page.main()).not().containsText("could not be read");
        }
    }

    @Test
    void overviewNamesWhatNeedsAPersonAndLeadsThere() {
        as(VIEWER);
        Locator attention = page.page().getByLabel("Needs a person");
        assertThat(attention).containsText("fax");
        attention
                .locator("a", new Locator.LocatorOptions().setHasText("Unknown"))
                .first()
                .click();
        assertThat(page.page().locator("h1")).hasText("Operations");
        page.ready();
        assertThat(page.rows().first()).containsText("Unknown");
        page.open("#/");
        page.link("Day").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*window=day.*"));
    }

    @Test
    void overviewShowsACallWithoutAReloadAndFollowsOnlyWhileSomebodyLooks() {
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        WatchedStreams streams = new WatchedStreams(page.page());
        page.logIn(VIEWER);
        streams.awaitOpen(1);
        int reads = streams.reads();
        server.message("live", "k-1");
        assertThat(page.main())
                .containsText("live channel", new LocatorAssertions.ContainsTextOptions().setTimeout(30_000));
        assertThat(streams.reads()).isEqualTo(reads);
        streams.hide();
        assertThat(streams.open()).isZero();
        streams.reveal();
        streams.awaitOpen(1);
        assertThat(streams.reads()).isEqualTo(reads + 1);
        page.open("#/records");
        assertThat(streams.open()).isZero();
    }

    @Test
    void overviewIsReadAgainWhereStreamsAreNotToBeHad() {
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        WatchedStreams streams = new WatchedStreams(page.page());
        page.page().route("**/overview/live*", route -> route.abort());
        page.logIn(VIEWER);
        int reads = streams.reads();
        page.page().waitForCondition(() -> streams.reads() > reads);
        // The browser reports each attempt that failed.
        page.page().navigate("about:blank");
        page.errors().clear();
    }

    @Test
    void chartsFollowTheOperationThatIsChosenInTheTable() {
        as(VIEWER);
        Locator acknowledged = page.page()
                .getByRole(
                        AriaRole.IMG,
                        new Page.GetByRoleOptions().setName(Pattern.compile("Acknowledged after: half .*99 %.*")));
        Locator waiting = page.page()
                .getByRole(
                        AriaRole.IMG, new Page.GetByRoleOptions().setName(Pattern.compile("Waiting: at most [1-9].*")));
        assertThat(acknowledged).isVisible();
        assertThat(waiting).isVisible();
        String all = waiting.getAttribute("aria-label");
        page.link("crm").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*#/\\?window=hour&operation=crm"));
        assertThat(page.rows()).hasCount(1);
        assertThat(waiting).not().hasAttribute("aria-label", all);
        page.page().getByLabel("Remove the filter operation crm").click();
        assertThat(page.link("mail")).isVisible();
    }

    @Test
    void filtersCombineShowAsChipsAndLiveInTheAddress() {
        as(VIEWER).open("#/records");
        page.page().keyboard().press("/");
        page.page().keyboard().type("mail");
        page.field("Tenant").fill("acme");
        page.button("Apply").click();
        page.link("Retrying").click();
        page.ready();
        page.link("Dead").click();
        assertThat(page.page())
                .hasURL(Pattern.compile(
                        ".*#/records\\?operation=mail&tenant=acme&state=FAILED_RETRYABLE%2CFAILED_TERMINAL"));
        assertThat(page.page().getByLabel("Active filters")).containsText("operation mail");
        page.page().reload();
        page.ready();
        JsonNode found =
                server.get(VIEWER, "/records?operation=mail&tenant=acme&state=FAILED_TERMINAL,FAILED_RETRYABLE");
        assertThat(page.rows()).hasCount(found.path("records").size());
        page.page().getByLabel("Remove the filter tenant acme").click();
        assertThat(page.page()).not().hasURL(Pattern.compile(".*tenant.*"));
    }

    @Test
    void exactKeyIdAndCorrelationFindOneRecord() {
        String lost = id("acme", "mail", "lost-1");
        as(VIEWER).open("#/records?tenant=acme&operation=mail&key=lost-1");
        assertThat(page.rows()).hasCount(1);
        page.open("#/records?id=" + lost.substring(0, 12));
        assertThat(page.rows()).hasCount(1);
        page.open("#/records?tenant=acme&correlation_id=c-lost-1");
        assertThat(page.rows()).hasCount(1);
        page.open("#/records?key=lost-1");
        assertThat(page.main()).containsText("needs a tenant and an operation beside it");
        assertThat(page.main()).containsText("Correlation id for the log");
        page.errors().clear();
    }

    @Test
    void listsHavePagesAndNoCount() {
        as(VIEWER).open("#/records");
        assertThat(page.rows()).hasCount(50);
        String first = page.rows().first().textContent();
        page.link("Next page »").click();
        page.ready();
        assertThat(page.rows().first()).not().hasText(first);
        page.link("« First page").click();
        assertThat(page.rows()).hasCount(50);
    }

    @Test
    void recordShowsWhyItIsNotDoneWhatHappenedAndWhatItCaused() {
        as(OPERATOR).open("#/records/" + id("acme", "mail", "lost-2"));
        assertThat(page.main()).containsText("is dead after 3 attempts");
        assertThat(page.main()).containsText("What to do: Mend the cause");
        assertThat(page.page().locator("svg.timeline"))
                .hasAttribute(
                        "aria-label",
                        Pattern.compile("Timeline over .*attempt 1 failed.*: network.*attempt 3 failed.*dead"));
        assertThat(page.page().locator("svg.timeline .band.wait")).hasCount(2);
        assertThat(page.page().getByLabel("Payload")).containsText("\"to\": \"unreachable\"");
        assertThat(page.page().getByLabel("Payload")).not().containsText("s3cret");
        page.open("#/records/" + id("acme", "order", "o-1"));
        Locator graph = page.page().getByLabel("order caused 2 steps and 2 messages");
        assertThat(graph.locator("path.edge")).hasCount(4);
        assertThat(graph.locator("a").first()).hasAttribute("title", Pattern.compile("order Done.*this record"));
        graph.locator("a").first().focus();
        page.page().keyboard().press("Tab");
        page.page().keyboard().press("Tab");
        page.page().keyboard().press("Tab");
        assertThat(graph.locator("a").nth(3)).isFocused();
        page.page().keyboard().press("Enter");
        assertThat(page.page().locator("h1")).containsText("mail");
    }

    @Test
    void attemptIsDrawnAsLongAsItTookWithItsCause() {
        Await.until(
                "a delivery has failed",
                () -> !server.get(ADMIN, "/records?operation=destination.archive&tenant=acme&min_attempts=1")
                        .path("records")
                        .isEmpty());
        String failing = server.get(ADMIN, "/records?operation=destination.archive&tenant=acme&min_attempts=1")
                .path("records")
                .path(0)
                .path("id")
                .asString();
        as(VIEWER).open("#/records/" + failing);
        Locator timeline = page.page().locator("svg.timeline");
        assertThat(timeline)
                .hasAttribute("aria-label", Pattern.compile(".*attempt 1 failed after \\d+ ms: upstream_error.*"));
        assertThat(timeline.locator(".attempt rect.run").first()).isVisible();
        assertThat(timeline.locator(".attempt .cause").first()).hasText("upstream_error");
    }

    @Test
    void replayDiscardAndCancelAskForAReasonAndAreAudited() {
        as(OPERATOR).open("#/records/" + id("acme", "mail", "lost-3"));
        page.button("Replay").click();
        page.button("Back").click();
        assertThat(server.stateOf(id("acme", "mail", "lost-3"))).isEqualTo("FAILED_TERMINAL");
        page.button("Replay").click();
        page.confirm("Replay");
        assertThat(page.told()).containsText("replayed; the next free worker runs it");
        assertThat(server.stateOf(id("acme", "mail", "lost-3"))).isEqualTo("QUEUED");
        assertThat(page.page().locator(".title .label")).hasText("Queued");
        page.button("Cancel it").click();
        page.confirm("Cancel it");
        assertThat(server.stateOf(id("acme", "mail", "lost-3"))).isEqualTo("DISCARDED");
        page.open("#/records/" + id("acme", "mail", "lost-4"));
        page.button("Discard").click();
        page.confirm("Discard");
        assertThat(server.stateOf(id("acme", "mail", "lost-4"))).isEqualTo("DISCARDED");
        assertThat(server.get(ADMIN, "/audit/events?type=operator.discarded")
                        .path("events")
                        .path(0)
                        .path("reason")
                        .asString())
                .isEqualTo("ticket 4711");
    }

    @Test
    void unknownIsResolvedEitherWay() {
        as(OPERATOR).open("#/records/" + id("acme", "fax", "f-1"));
        assertThat(page.button("Replay")).hasCount(0);
        page.button("It took effect: close it").click();
        page.confirm("Close it");
        assertThat(server.stateOf(id("acme", "fax", "f-1"))).isEqualTo("DISCARDED");
        page.open("#/records/" + id("acme", "fax", "f-2"));
        page.button("It had no effect: run it again").click();
        page.confirm("Run it again");
        assertThat(server.stateOf(id("acme", "fax", "f-2"))).isEqualTo("QUEUED");
    }

    @Test
    void adminForgetsAKeyThatIsTyped() {
        String order = id("globex", "order", "o-6");
        as(ADMIN).open("#/records/" + order);
        page.button("Forget").click();
        page.dialog().getByLabel("Key").fill("another");
        page.dialog().getByLabel("Reason").fill("ticket 4711");
        page.dialog()
                .getByText("Forget", new Locator.GetByTextOptions().setExact(true))
                .click();
        assertThat(page.dialog()).containsText("no record of this key");
        page.errors().clear();
        page.dialog().getByLabel("Key").fill("o-6");
        page.confirm("Forget");
        assertThat(server.get(ADMIN, "/records?tenant=globex&operation=order&key=o-6")
                        .path("records"))
                .isEmpty();
    }

    @Test
    void rolesSeeOnlyWhatTheyMayDo() {
        as(VIEWER).open("#/records/" + id("acme", "mail", "lost-1"));
        assertThat(page.button("Replay")).hasCount(0);
        assertThat(page.main()).containsText("payloads and results need the role operator");
        page.open("#/dead");
        assertThat(page.page().getByText("Replay…")).hasCount(0);
        page.open("#/modes");
        assertThat(page.main()).containsText("setting a mode needs the role operator");
        page.close();
        as(OPERATOR).open("#/records/" + id("acme", "mail", "lost-1"));
        assertThat(page.button("Replay")).isVisible();
        assertThat(page.button("Forget")).hasCount(0);
    }

    @Test
    void bulkReplayIsPreviewedAndItsProgressSurvivesAReload() {
        as(OPERATOR).open("#/dead?tenant=globex");
        page.link("connection refused by …").click();
        page.ready();
        page.button("Replay all that match…").click();
        assertThat(page.dialog()).containsText("4 dead letters will be replayed.");
        page.dialog().getByLabel("Most replays a second").fill("1");
        page.confirm("Start the replay");
        assertThat(page.page()).hasURL(Pattern.compile(".*job=replay-.*"));
        page.ready();
        page.page().reload();
        page.ready();
        Locator job = page.page().getByLabel("Replay of many");
        assertThat(job).containsText("of 4");
        page.button("Pause").click();
        page.confirm("Pause");
        page.ready();
        assertThat(job).containsText("Paused");
        page.button("Resume").click();
        page.confirm("Resume");
        assertThat(job).containsText("Over.", new LocatorAssertions.ContainsTextOptions().setTimeout(30_000));
        assertThat(server.stateOf(id("globex", "mail", "lost-1"))).isEqualTo("QUEUED");
    }

    @Test
    void someDeadLettersAreSelectedAndDiscarded() {
        as(OPERATOR).open("#/dead?operation=destination.archive");
        Await.until("the deliveries are dead", () -> {
            page.open("#/dead?operation=destination.archive&tenant=acme");
            return page.rows().count() >= 4;
        });
        int before = server.get(ADMIN, "/dead?operation=destination.archive")
                .path("records")
                .size();
        page.page().locator("td.box input").nth(0).check();
        page.page().locator("td.box input").nth(1).check();
        page.button("Discard selected (2)").click();
        page.confirm("Discard");
        assertThat(page.told()).containsText("2 done");
        assertThat(server.get(ADMIN, "/dead?operation=destination.archive")
                        .path("records")
                        .size())
                .isEqualTo(before - 2);
    }

    @Test
    void channelIsPausedAndResumedAndALaneTellsWhatItWaitsFor() {
        as(OPERATOR).open("#/channels");
        page.button("Pause invoice").click();
        page.confirm("Pause");
        assertThat(server.get(ADMIN, "/modes").path("pauses").toString()).contains("invoice", "ticket 4711");
        page.button("Resume invoice").click();
        page.confirm("Resume");
        assertThat(server.get(ADMIN, "/modes").path("pauses").toString()).doesNotContain("invoice");
        page.field("Channel").fill("crm");
        page.field("Tenant").fill("acme");
        page.field("Lane").fill("o-7");
        page.button("Show the lane").click();
        page.ready();
        assertThat(page.main()).containsText("It holds up its lane.");
        assertThat(page.page().locator("section tbody tr")).hasCount(3);
    }

    @Test
    void channelTellsItsRateAndItsOpenBreaker() {
        as(VIEWER);
        Locator attention = page.page().getByLabel("Needs a person");
        assertThat(attention).containsText("The breaker of destination.status is open on this node");
        attention
                .locator("a", new Locator.LocatorOptions().setHasText("Breaker open"))
                .click();
        Locator status =
                page.page().locator("#main tbody tr", new Page.LocatorOptions().setHasText("destination.status"));
        assertThat(status).containsText("Breaker open");
        assertThat(status).containsText("on node ");
        Locator mail = page.page().locator("#main tbody tr", new Page.LocatorOptions().setHasText("mail"));
        assertThat(mail.locator("td[data-title='Handled / min']")).containsText(Pattern.compile("[1-9]"));
    }

    @Test
    void modesAreSetWithAReasonAndEverythingNeedsATypedConfirmation() {
        as(ADMIN).open("#/modes");
        page.field("Name").fill("invoice");
        page.button("Set the mode…").click();
        page.confirm("Halt");
        assertThat(page.main()).containsText("operation invoice, all tenants");
        assertThat(server.get(ADMIN, "/modes").path("settings").toString())
                .contains("\"operation\":\"invoice\",\"tenant\":\"*\",\"mode\":\"HALTED\"");
        page.button("Set to LIVE: operation invoice, all tenants").click();
        page.confirm("Set to LIVE");
        assertThat(server.get(ADMIN, "/modes").path("settings").toString()).doesNotContain("invoice");
        page.page().getByLabel("Scope").selectOption("all");
        page.button("Set the mode…").click();
        Locator halt = page.dialog().getByText("Halt", new Locator.GetByTextOptions().setExact(true));
        page.dialog().getByLabel("Reason").fill("drill");
        assertThat(halt).isDisabled();
        page.dialog().getByLabel("Type all to confirm").fill("all");
        halt.click();
        assertThat(page.dialog()).hasCount(0);
        assertThat(server.get(ADMIN, "/modes").path("settings").toString())
                .contains("\"operation\":\"*\",\"tenant\":\"*\",\"mode\":\"HALTED\"");
        page.button("Set to LIVE: all operations, all tenants").click();
        page.confirm("Set to LIVE");
        assertThat(server.get(ADMIN, "/modes").path("settings").toString()).doesNotContain("HALTED");
        assertThat(page.main()).containsText("2 not sent");
    }

    @Test
    void serverShowsHealthAndLastAttempts() {
        as(OPERATOR).open("#/server");
        assertThat(page.main()).containsText("Healthy");
        assertThat(page.main()).containsText("Failing");
        assertThat(page.main()).containsText("out of order");
        assertThat(page.main()).containsText("/payments");
    }

    @Test
    void serverTellsWhatCameFromASource() {
        server.webhook("{\"id\":\"evt_1\"}");
        as(OPERATOR).open("#/server");
        Locator stripe = page.page().locator("#main tbody tr", new Page.LocatorOptions().setHasText("stripe"));
        assertThat(stripe.locator("td[data-title='Last webhook']")).containsText("never");
        assertThat(stripe.locator("td[data-title='Rejected']")).containsText(Pattern.compile("[1-9]\\d*, last .*"));
        assertThat(server.get(OPERATOR, "/server")
                        .path("sources")
                        .path(0)
                        .path("accepted")
                        .asInt(-1))
                .isZero();
    }

    @Test
    void auditIsFilteredExportedAndVerifiedWithAnAnchor() throws Exception {
        as(VIEWER).open("#/audit");
        page.page().getByLabel("Type").selectOption("system.error");
        page.button("Apply").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*type=system.error"));
        page.ready();
        assertThat(page.rows().first()).containsText("system.error");
        Download export =
                page.page().waitForDownload(() -> page.link("Export as NDJSON").click());
        assertThat(Files.readString(export.path()).lines())
                .isNotEmpty()
                .allMatch(line -> line.contains("system.error"));
        page.button("Verify the seals").click();
        assertThat(page.main()).containsText("No event was changed, removed or inserted");
        String anchor = page.page().locator(".notice code").getAttribute("title");
        page.page()
                .getByLabel("Anchor of an earlier check")
                .fill(anchor.replaceFirst(".$", anchor.endsWith("0") ? "1" : "0"));
        page.button("Verify the seals").click();
        assertThat(page.main()).containsText("ANCHOR_MISSED");
    }

    @Test
    void keysDoEverything() {
        as(VIEWER).open("#/records");
        page.page().keyboard().press("?");
        assertThat(page.dialog()).containsText("next row");
        assertThat(page.barriers()).isEmpty();
        page.page().keyboard().press("Escape");
        assertThat(page.dialog()).hasCount(0);
        page.page().keyboard().press("j");
        page.page().keyboard().press("j");
        page.page().keyboard().press("k");
        page.page().keyboard().press("j");
        String second = page.rows().nth(1).locator("a").first().getAttribute("title");
        page.page().keyboard().press("Enter");
        assertThat(page.page()).hasURL(Pattern.compile(".*#/records/" + second));
        page.ready();
        page.page().keyboard().press("g");
        page.page().keyboard().press("d");
        assertThat(page.page().locator("h1")).hasText("Dead letters");
        page.page().keyboard().press("l");
        assertThat(page.page().locator("html")).hasAttribute("data-theme", "dark");
        page.page().keyboard().press("u");
        page.open("#/audit");
        assertThat(page.rows().first()).containsText("UTC");
        page.page().reload();
        page.ready();
        assertThat(page.page().locator("html")).hasAttribute("data-theme", "dark");
    }
}
