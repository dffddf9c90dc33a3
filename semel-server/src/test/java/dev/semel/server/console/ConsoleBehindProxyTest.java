package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.semel.server.console.ConsoleServer.OPERATOR;
import static dev.semel.server.console.TroubledLedger.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The console below other paths, as reverse proxies serve it, and without any other host. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleBehindProxyTest {
    /** Live events come at once, although the stream does not end. */
    private static final String FIRST_EVENT = """
            () => new Promise(resolve => {
              const api = document.querySelector('meta[name=semel-api]').content;
              const stream = new EventSource(new URL(api + '/admin/audit/live', document.baseURI));
              stream.onopen = stream.onerror = event => { stream.close(); resolve(event.type); };
            })
            """;

    private ConsoleServer server;
    private Chromium chromium;

    /** Where a proxy puts the console. */
    enum Place {
        BELOW_A_PREFIX("/tools/semel/console/", Map.of("/tools/semel/", "/"), "lost-1"),
        AT_THE_ROOT("/", Map.of("/api/", "/api/", "/", "/console/"), "lost-2"),
        UNDER_ANOTHER_NAME("/a/b/pages/", Map.of("/a/b/pages/", "/console/", "/a/b/api/", "/api/"), "lost-3");

        private final String console;
        private final Map<String, String> paths;
        private final String letter;

        Place(String console, Map<String, String> paths, String letter) {
            this.console = console;
            this.paths = paths;
            this.letter = letter;
        }
    }

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

    @ParameterizedTest
    @EnumSource
    void everyPageAndActionWorksBelowAnyPathAndAsksNoOtherHost(Place place) throws IOException {
        try (PathProxy proxy = PathProxy.start(server.uri(), place.paths)) {
            String console = proxy.uri() + place.console;
            try (ConsolePage page = new ConsolePage(chromium, console, Screen.DESKTOP)) {
                page.logIn(OPERATOR);
                assertThat(page.page().evaluate(FIRST_EVENT)).isEqualTo("open");
                for (ConsoleAddress each : ConsoleAddress.values()) {
                    page.open(each.address());
                    assertThat(page.page().locator("h1")).containsText(each.heading());
                    assertThat(page.main()).not().containsText("could not be read");
                }
                String letter = id("acme", "mail", place.letter);
                page.open("#/records/" + letter);
                page.button("Discard").click();
                page.confirm("Discard");
                assertThat(server.stateOf(letter)).isEqualTo("DISCARDED");
                page.open("#/audit");
                Download export = page.page()
                        .waitForDownload(() -> page.link("Export as NDJSON").click());
                assertThat(Files.readString(export.path())).contains("operator.discarded");
                page.page().reload();
                page.ready();
                page.page().getByText("Log out").click();
                page.button("This browser").click();
                assertThat(page.page().locator("h1")).hasText("Log in");
                assertThat(page.page().url()).startsWith(console);
                assertThat(page.errors()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "BELOW_A_PREFIX")
    void shortAddressesLeadToTheConsoleBehindThePrefix(Place place) throws IOException {
        try (PathProxy proxy = PathProxy.start(server.uri(), place.paths);
                ConsolePage page = new ConsolePage(chromium, proxy.uri() + place.console, Screen.DESKTOP)) {
            for (String shorter : new String[] {"/tools/semel/", "/tools/semel/console"}) {
                page.page().navigate(proxy.uri() + shorter);
                assertThat(page.page()).hasURL(proxy.uri() + place.console);
                assertThat(page.page().locator("h1")).hasText("Log in");
            }
        }
    }
}
