package dev.semel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What every page keeps to: it is readable for all, small, quiet, and holds its memory. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleQualityTest {
    private static final Path FILES = Path.of("../semel-console/src/main/resources/dev/semel/console/static");
    private static final int TURNS_OF_AN_HOUR = 360;
    private static final int READINGS_OF_AN_HOUR = 720;

    /** Answers for the server, without the network: the figures move on, and what needs a person comes and goes. */
    private static final String CHANGING_OVERVIEW = """
            window.overviews = 0;
            // Fewer points than an hour has: drawing them takes most of the time, and each is like the others.
            first.points = Math.min(first.points, 12);
            first.operations.forEach(each => Object.values(each.series).forEach(values => values.splice(first.points)));
            const fetched = window.fetch;
            window.fetch = async (address, options) => {
              if (!String(address).includes('/admin/overview')) {
                return fetched(address, options);
              }
              const turn = ++window.overviews;
              const data = structuredClone(first);
              const later = time => new Date(new Date(time).getTime() + turn * 5000).toISOString();
              data.from = later(data.from);
              data.now = later(data.now);
              data.attention = data.attention.filter((each, index) => (index + turn) % 3 > 0);
              data.operations.forEach(each => Object.values(each.series).forEach(values =>
                values.push(...values.splice(0, turn % values.length))));
              return new Response(JSON.stringify(data), {status: 200, headers: {'Content-Type': 'application/json'}});
            };
            """;

    private ConsoleServer server;
    private Chromium chromium;
    private SoftAssertions all = new SoftAssertions();

    @BeforeAll
    void start() {
        chromium = Chromium.shared();
        server = ConsoleServer.start(LedgerKind.SQLITE);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @AfterEach
    void everythingHolds() {
        SoftAssertions done = all;
        all = new SoftAssertions();
        done.assertAll();
    }

    @Test
    void nothingKeepsPeopleOutOfAnyPage() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.visit();
            examine(page, "login", "html");
            page.logIn(ConsoleServer.ADMIN);
            for (ConsoleAddress each : ConsoleAddress.values()) {
                page.open(each.address());
                examine(page, each.name(), "html");
            }
            assertThat(page.errors()).isEmpty();
        }
    }

    /** In light and dark, on a desktop and on a phone. All that is wrong is told at the end. */
    private void examine(ConsolePage page, String name, String part) {
        for (Screen screen : Screen.ALL) {
            page.show(screen);
            all.assertThat(page.barriersOf(part)).as("%s, %s", name, screen).isEmpty();
            Object overflow = page.page().evaluate("document.documentElement.scrollWidth - innerWidth");
            all.assertThat(((Number) overflow).intValue())
                    .as("%s scrolls sideways, %s", name, screen)
                    .isLessThanOrEqualTo(0);
        }
        page.show(Screen.DESKTOP);
    }

    @Test
    void nothingKeepsPeopleOutOfTheDialogsOfActions() {
        String dead = "#/records/" + TroubledLedger.id("acme", "mail", "lost-1");
        String unknown = "#/records/" + TroubledLedger.id("acme", "fax", "f-1");
        List<ActionDialog> dialogs = List.of(
                new ActionDialog(dead, "Replay"),
                new ActionDialog(dead, "Discard"),
                new ActionDialog(dead, "Forget"),
                new ActionDialog("#/records/" + TroubledLedger.id("acme", "mail", "later-1"), "Cancel it"),
                new ActionDialog(unknown, "It took effect: close it"),
                new ActionDialog(unknown, "It had no effect: run it again"),
                new ActionDialog("#/dead", "Replay all of mail, network"),
                new ActionDialog("#/dead?operation=mail", "Replay all that match…"),
                new ActionDialog("#/channels", "Pause invoice"),
                new ActionDialog("#/modes", "Set to LIVE: operation plan, all tenants"),
                new ActionDialog("#/server", "Reload the configuration…"),
                new ActionDialog("#/policies", "Keys"));
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.logIn(ConsoleServer.ADMIN);
            for (ActionDialog each : dialogs) {
                page.open(each.address);
                page.button(each.button).click();
                page.dialog().waitFor();
                examine(page, each.toString(), "dialog");
                page.page().keyboard().press("Escape");
            }
            page.open("#/modes");
            page.page().getByLabel("Scope").selectOption("all");
            page.button("Set the mode…").click();
            page.dialog().waitFor();
            examine(page, "halt everything", "dialog");
            page.page().keyboard().press("Escape");
            page.page().getByText("Log out").click();
            examine(page, "log out", "header");
            assertThat(page.errors()).isEmpty();
        }
    }

    private record ActionDialog(String address, String button) {}

    @Test
    void dialogThatShowsAProblemKeepsNobodyOut() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.logIn(ConsoleServer.ADMIN).open("#/records/" + TroubledLedger.id("acme", "mail", "lost-1"));
            page.button("Forget").click();
            page.dialog().getByLabel("Key").fill("another");
            page.dialog().getByLabel("Reason").fill("ticket 4711");
            page.dialog()
                    .getByText("Forget", new Locator.GetByTextOptions().setExact(true))
                    .click();
            page.dialog().getByText("Nothing was done.").waitFor();
            examine(page, "a problem", "dialog");
        }
    }

    @Test
    void pagesAreSmall() throws Exception {
        try (Stream<Path> all = Files.walk(FILES)) {
            assertThat(all.filter(Files::isRegularFile)
                            .mapToLong(each -> each.toFile().length())
                            .sum())
                    .isLessThan(300_000);
        }
    }

    @Test
    void pageThatIsOpenForAnHourHoldsItsMemory() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.page().clock().install();
            page.logIn(ConsoleServer.VIEWER).open("#/records?operation=crm");
            CDPSession tools = page.page().context().newCDPSession(page.page());
            tools.send("Performance.enable");
            turns(page.page(), 30);
            double nodes = metric(tools, "Nodes");
            double heap = metric(tools, "JSHeapUsedSize");
            turns(page.page(), TURNS_OF_AN_HOUR);
            assertThat(metric(tools, "Nodes")).isLessThan(nodes * 1.1 + 200);
            assertThat(metric(tools, "JSHeapUsedSize")).isLessThan(heap * 1.25 + 1_000_000);
        }
    }

    @Test
    void overviewThatIsOpenForAnHourHoldsItsMemory() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.page().clock().install();
            page.page()
                    .addInitScript("const first = " + server.get(ConsoleServer.VIEWER, "/overview?window=hour") + ";"
                            + CHANGING_OVERVIEW);
            // Without events the page reads by itself.
            page.page().route("**/overview/live*", route -> route.fulfill(new Route.FulfillOptions().setStatus(204)));
            page.logIn(ConsoleServer.VIEWER).open("#/");
            CDPSession tools = page.page().context().newCDPSession(page.page());
            tools.send("Performance.enable");
            readings(page.page(), 60);
            double nodes = metric(tools, "Nodes");
            double heap = metric(tools, "JSHeapUsedSize");
            readings(page.page(), READINGS_OF_AN_HOUR);
            assertThat(((Number) page.page().evaluate("window.overviews")).intValue())
                    .isGreaterThanOrEqualTo(READINGS_OF_AN_HOUR);
            assertThat(page.page().locator("svg.chart").count()).isEqualTo(8);
            assertThat(metric(tools, "Nodes")).isLessThan(nodes * 1.1 + 200);
            assertThat(metric(tools, "JSHeapUsedSize")).isLessThan(heap * 1.25 + 1_000_000);
        }
    }

    /** The overview is read every five seconds. */
    private static void readings(Page page, int count) {
        for (int i = 0; i < count; i++) {
            page.clock().runFor(5_000);
            page.locator("#main[aria-busy=false]").waitFor();
        }
    }

    /** Each turn the page reads its list again. */
    private static void turns(Page page, int count) {
        for (int i = 0; i < count; i++) {
            page.waitForResponse(
                    response -> response.url().contains("/admin/records"),
                    () -> page.clock().runFor(10_000));
            page.locator("#main[aria-busy=false]").waitFor();
        }
    }

    private static double metric(CDPSession tools, String name) {
        tools.send("HeapProfiler.collectGarbage");
        for (var each : tools.send("Performance.getMetrics").getAsJsonArray("metrics")) {
            if (each.getAsJsonObject().get("name").getAsString().equals(name)) {
                return each.getAsJsonObject().get("value").getAsDouble();
            }
        }
        throw new AssertionError("no metric " + name);
    }

    @Test
    void hiddenPageAsksForNothing() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.page().clock().install();
            page.logIn(ConsoleServer.VIEWER).open("#/channels");
            AtomicInteger requests = new AtomicInteger();
            page.page().onRequest(request -> requests.incrementAndGet());
            hide(page.page(), true);
            page.page().clock().runFor(60_000);
            assertThat(requests).hasValue(0);
            page.page()
                    .waitForResponse(
                            response -> response.url().contains("/admin/channels"), () -> hide(page.page(), false));
        }
    }

    private static void hide(Page page, boolean hidden) {
        page.evaluate(
                "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }",
                hidden);
    }

    @Test
    void openPageAsksLessThanOnceASecond() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.page().clock().install();
            page.logIn(ConsoleServer.VIEWER);
            for (String address : List.of("#/records", "#/channels", "#/modes", "#/audit", "#/dead")) {
                page.open(address);
                AtomicInteger requests = new AtomicInteger();
                page.page().onRequest(request -> requests.incrementAndGet());
                for (int i = 0; i < 60; i++) {
                    page.page().clock().runFor(1_000);
                }
                assertThat(requests.get()).as(address).isLessThan(60);
            }
        }
    }
}
