package dev.semel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
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

    private ConsoleServer server;
    private Chromium chromium;

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

    @Test
    void nothingKeepsPeopleOutInLightAndDarkAndOnAPhone() {
        try (ConsolePage page = new ConsolePage(chromium, server, Screen.DESKTOP)) {
            page.visit();
            assertThat(page.barriers()).as("login").isEmpty();
            page.logIn(ConsoleServer.ADMIN);
            for (ConsoleAddress each : ConsoleAddress.values()) {
                page.show(Screen.DESKTOP);
                page.open(each.address());
                assertThat(page.barriers()).as("%s, light", each).isEmpty();
                page.show(Screen.DARK);
                assertThat(page.unreadable()).as("%s, dark", each).isEmpty();
                page.show(Screen.PHONE);
                assertThat(page.untouchable()).as("%s, on a phone", each).isEmpty();
                Object overflow = page.page().evaluate("document.documentElement.scrollWidth - innerWidth");
                assertThat(((Number) overflow).intValue())
                        .as("%s scrolls sideways", each)
                        .isZero();
            }
            assertThat(page.errors()).isEmpty();
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
