package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.semel.server.console.ConsoleServer.ADMIN;
import static dev.semel.server.console.ConsoleServer.OPERATOR;
import static dev.semel.server.console.ConsoleServer.VIEWER;
import static dev.semel.server.console.TroubledLedger.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.Route;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Buttons, keys and filters that no other test presses, and what the pages of figures say. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleControlsTest {
    private static final String API = "**/api/v1/admin/**";

    private ConsoleServer server;
    private Chromium chromium;
    private ConsolePage page;

    @BeforeAll
    void start() {
        chromium = Chromium.shared();
        server = ConsoleServer.start(LedgerKind.SQLITE);
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
    void someDeadLettersAreSelectedAndReplayed() {
        as(OPERATOR).open("#/dead?operation=mail&tenant=globex&category=network");
        assertThat(page.rows()).hasCount(5);
        page.page()
                .getByLabel(Pattern.compile("^Select mail " + brief("globex", "lost-1")))
                .check();
        page.page()
                .getByLabel(Pattern.compile("^Select mail " + brief("globex", "lost-2")))
                .check();
        page.button("Replay selected (2)").click();
        page.confirm("Replay");
        assertThat(page.told()).containsText("Replay: 2 done.");
        assertThat(server.stateOf(id("globex", "mail", "lost-1"))).isEqualTo("QUEUED");
        assertThat(server.stateOf(id("globex", "mail", "lost-2"))).isEqualTo("QUEUED");
        assertThat(server.stateOf(id("globex", "mail", "lost-3"))).isEqualTo("FAILED_TERMINAL");
        assertThat(page.button("Replay selected")).isDisabled();
    }

    private static String brief(String tenant, String key) {
        return id(tenant, "mail", key).substring(0, 12);
    }

    @Test
    void configurationIsReadAgain() {
        as(ADMIN).open("#/server");
        page.button("Reload the configuration…").click();
        page.confirm("Reload");
        assertThat(page.told()).containsText("configuration");
        assertThat(server.get(ADMIN, "/audit/events?type=server.reload")
                        .path("events")
                        .path(0)
                        .path("reason")
                        .asString())
                .isEqualTo("ticket 4711");
    }

    @Test
    void payloadAndResultAreCopied() {
        as(OPERATOR).page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
        page.open("#/records/" + id("acme", "order", "o-1"));
        for (String box : List.of("Payload", "Result")) {
            Locator section = page.page()
                    .locator("section")
                    .filter(new Locator.FilterOptions().setHas(page.page().locator("pre[aria-label=" + box + "]")))
                    .last();
            section.getByLabel("Copy to the clipboard").click();
            assertThat(section.getByLabel("Copy to the clipboard")).hasText("Copied");
            assertThat(page.page().evaluate("navigator.clipboard.readText()"))
                    .isEqualTo(section.locator("pre").textContent());
        }
        assertThat(page.page().evaluate("navigator.clipboard.readText()").toString())
                .contains("\"total\": \"42.00\"");
    }

    @Test
    void copyingThatTheBrowserForbidsSaysHowToDoItByHand() {
        as(OPERATOR).page().addInitScript("Object.defineProperty(navigator, 'clipboard', {value: undefined})");
        page.page().reload();
        page.open("#/records/" + id("acme", "order", "o-1"));
        Locator copy = page.page().getByLabel("Copy to the clipboard").first();
        copy.click();
        assertThat(copy).hasText("Select it and press Ctrl+C");
    }

    @Test
    void keysTurnThePageAndReadAgain() {
        as(VIEWER).open("#/records");
        String first = page.rows().first().textContent();
        page.page().keyboard().press("n");
        assertThat(page.page()).hasURL(Pattern.compile(".*cursor=.*"));
        page.ready();
        assertThat(page.rows().first()).not().hasText(first);
        page.page()
                .waitForResponse(
                        Pattern.compile(".*/admin/records.*"),
                        () -> page.page().keyboard().press("."));
        page.ready();
        page.open("#/policies");
        page.page()
                .waitForResponse(
                        Pattern.compile(".*/admin/policies"),
                        () -> page.page().keyboard().press("."));
        page.page().keyboard().press("n");
        assertThat(page.page()).hasURL(Pattern.compile(".*#/policies"));
    }

    @ParameterizedTest
    @CsvSource({
        "Lane, o-7, lane=o-7, 3, lane o-7",
        "'Attempts, at least', 3, min_attempts=3, 5, attempts at least 3",
        "Overdue for, 1ms, overdue_for=1ms, 1, overdue for 1ms",
        "Category, mapping, category=mapping, 1, category mapping"
    })
    void filterIsTypedShownAndRemoved(String field, String value, String query, int atLeast, String chip) {
        as(VIEWER).open("#/records");
        page.page().getByText("More filters").click();
        page.field("Tenant").fill("acme");
        if (field.equals("Category")) {
            input(field).selectOption(value);
        } else {
            input(field).fill(value);
        }
        page.button("Apply").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*[?&]" + query + "(&.*)?$"));
        page.ready();
        List<String> expected = new ArrayList<>();
        server.get(VIEWER, "/records?limit=50&tenant=acme&" + query)
                .path("records")
                .forEach(each -> expected.add(each.path("id").asString()));
        assertThat(expected).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(page.rows()).hasCount(expected.size());
        assertThat(page.page().locator("#main tbody a.mono").all().stream().map(each -> each.getAttribute("title")))
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(page.page().getByLabel("Active filters")).containsText(chip);
        page.page().getByLabel("Remove the filter " + chip).click();
        page.ready();
        assertThat(page.page()).not().hasURL(Pattern.compile(".*" + query.split("=")[0] + ".*"));
        assertThat(input(field)).hasValue("");
    }

    /** The text of a label includes the options of its list. */
    private Locator input(String field) {
        return page.page().locator("label.field:has(.name:text-is(\"" + field + "\")) >> :is(input, select)");
    }

    @ParameterizedTest
    @CsvSource({"#/", "#/records", "#/dead", "#/channels", "#/modes", "#/audit", "#/server", "#/retries"})
    void figuresStayWhileThePageReadsAgain(String address) {
        List<Route> held = new ArrayList<>();
        AtomicReference<Consumer<Route>> requests = intercept();
        page.logIn(VIEWER).open("#/policies");
        page.open(address);
        assertThat(page.page().locator("h1")).not().hasText("Policies");
        page.ready();
        String before = page.main().innerText();
        requests.set(held::add);
        page.page().keyboard().press(".");
        page.page().waitForCondition(() -> !held.isEmpty());
        assertThat(page.main()).hasAttribute("aria-busy", "true");
        assertSameShape(before);
        // And when a person comes back to it.
        page.page().keyboard().press("g");
        page.page().keyboard().press("p");
        assertThat(page.page().locator("h1")).hasText("Policies");
        assertThat(page.main()).not().containsText("Reading…");
        page.page().goBack();
        assertThat(page.page().locator("h1")).not().hasText("Policies");
        assertSameShape(before);
        requests.set(Route::resume);
        held.forEach(ConsoleControlsTest::passOn);
        page.ready();
        assertThat(page.main()).not().containsText("could not be read");
    }

    /** What happens to requests to the API. From the beginning: requests just after the first route of a page may pass it. */
    private AtomicReference<Consumer<Route>> intercept() {
        AtomicReference<Consumer<Route>> requests = new AtomicReference<>(Route::resume);
        page = new ConsolePage(chromium, server, Screen.DESKTOP);
        page.page().route(API, route -> requests.get().accept(route));
        return requests;
    }

    /** Ages grow and times pass; the words are the same. */
    private void assertSameShape(String before) {
        assertThat(words(page.main().innerText())).isEqualTo(words(before));
    }

    private static String words(String text) {
        return text.replaceAll("\\d+(\\.\\d+)?( (ms|s|min|h|d)( \\d+ (s|min|h))?)?", "#")
                .replaceAll("\\b(now|# ago)\\b", "#")
                .replaceAll("\\s+", " ");
    }

    /** Requests that the page gave up meanwhile are gone. */
    private static void passOn(Route route) {
        try {
            route.resume();
        } catch (PlaywrightException gone) {
            assertThat(gone).hasMessageContaining("handled");
        }
    }

    @Test
    void figuresStayWhenReadingAgainFailsAndThePageSaysThatTheyAreOld() {
        AtomicReference<Consumer<Route>> requests = intercept();
        page.logIn(VIEWER).open("#/records");
        assertThat(page.rows()).hasCount(50);
        requests.set(Route::abort);
        page.page().keyboard().press(".");
        assertThat(page.main()).containsText("These figures are old: reading them again failed.");
        assertThat(page.rows()).hasCount(50);
        requests.set(Route::resume);
        page.page().keyboard().press(".");
        assertThat(page.main()).not().containsText("These figures are old");
        assertThat(page.errors()).isNotEmpty().allMatch(each -> each.contains("net::ERR_FAILED"));
        page.errors().clear();
    }

    @Test
    void doctorSaysWhichGuaranteeTheStoreGivesAndWhy() {
        JsonNode found = server.get(ADMIN, "/doctor");
        as(VIEWER).open("#/doctor");
        assertThat(page.page().locator(".verdict"))
                .containsText("Class " + found.path("class").asString() + ".");
        assertThat(page.page().locator(".verdict"))
                .containsText("Store " + found.path("store").asString());
        assertThat(found.path("findings").size()).isGreaterThan(3);
        assertThat(page.rows()).hasCount(found.path("findings").size());
        int row = 0;
        for (JsonNode each : found.path("findings")) {
            Locator shown = page.rows().nth(row++);
            assertThat(shown).containsText("Class " + each.path("limits").asString());
            assertThat(shown).containsText(each.path("setting").asString());
            assertThat(shown).containsText(each.path("value").asString());
        }
    }

    @Test
    void retriesShowHowTheyWentByPolicyAndWhereTheyAreMany() {
        as(VIEWER).open("#/retries?window=1d");
        assertThat(page.page().locator("nav.segments a[aria-current=true]")).hasText("Day");
        Locator steady =
                table("Retries by policy").locator("tbody tr", new Locator.LocatorOptions().setHasText("network"));
        assertThat(steady).containsText("RETRY_STEADY");
        JsonNode network = find(server.get(ADMIN, "/retries?window=1d").path("policies"), "category", "network");
        assertThat(steady.locator("td").nth(2))
                .hasText(network.path("failed_attempts").asString());
        assertThat(steady.locator("td").nth(4)).hasText(network.path("gave_up").asString());
        assertThat(network.path("gave_up").asInt()).isGreaterThanOrEqualTo(8);
        Locator mail = table("Rates of retries").locator("tbody tr", new Locator.LocatorOptions().setHasText("mail"));
        assertThat(mail).containsText("network");
        mail.getByText("mail").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*#/records\\?operation=mail&state=FAILED_RETRYABLE"));
    }

    private Locator table(String caption) {
        return page.page()
                .locator("table")
                .filter(new Locator.FilterOptions()
                        .setHas(page.page().locator("caption:text-is(\"" + caption + "\")")));
    }

    private static JsonNode find(JsonNode rows, String field, String value) {
        return rows.valueStream()
                .filter(each -> each.path(field).asString().equals(value))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shadowIsShownBesideWhatWasReallySent() {
        as(OPERATOR).open("#/modes");
        Locator compared = page.page()
                .locator("section")
                .filter(new Locator.FilterOptions().setHasText("SHADOW beside LIVE"))
                .last();
        assertThat(compared).containsText("2 messages would have been sent");
        assertThat(compared).containsText("0 same");
        assertThat(compared).containsText("2 not sent");
        assertThat(compared.locator("details")).hasCount(2);
        Locator first = compared.locator("details").first();
        first.locator("summary").click();
        assertThat(first.getByLabel("SHADOW would have sent")).containsText("\"order\": \"p-1\"");
        assertThat(first).containsText("was really sent");
        assertThat(first).containsText("nothing");
        assertThat(first.getByLabel("SHADOW would have sent")).not().containsText("\"token\": \"t\"");
        page.link("Only differences").click();
        assertThat(page.page()).hasURL(Pattern.compile(".*differences=true"));
        page.ready();
        assertThat(compared.locator("details")).hasCount(2);
        assertThat(page.main()).containsText("operation plan, all tenants");
    }

    @Test
    void pagesWithNothingToShowSayWhatToDoNext() {
        Map<String, List<String>> sentences = Map.ofEntries(
                Map.entry("#/", List.of("There is no history yet.", "No operation ran and no channel has messages.")),
                Map.entry("#/records", List.of("The ledger has no records yet.")),
                Map.entry("#/records?operation=mail", List.of("No record matches these filters.")),
                Map.entry("#/dead", List.of("No dead letters, and nothing with an unknown outcome.")),
                Map.entry(
                        "#/dead?operation=mail",
                        List.of("No dead letter matches these filters.", "Nothing that matches is left.")),
                Map.entry(
                        "#/channels?channel=crm&lane=o-7",
                        List.of(
                                "No channel has waiting, running or parked messages, and none is paused.",
                                "Nothing waits in this lane.")),
                Map.entry(
                        "#/modes",
                        List.of(
                                "Everything is LIVE.",
                                "Nothing to compare: no operation in SHADOW would have sent anything.")),
                Map.entry(
                        "#/server",
                        List.of(
                                "No destinations are configured.",
                                "No sources are configured.",
                                "No gateways are configured.")),
                Map.entry("#/audit?type=retry.exhausted", List.of("No event matches.")),
                Map.entry(
                        "#/retries",
                        List.of(
                                "Nothing is to be changed: the retries of this span are worth their cost.",
                                "No attempt failed in this span.",
                                "Nothing was retried in this span.")));
        try (ConsoleServer empty = ConsoleServer.empty()) {
            page = new ConsolePage(chromium, empty, Screen.DESKTOP).logIn(ADMIN);
            assertThat(page.main()).containsText("Nothing needs a person now.");
            sentences.forEach((address, expected) -> {
                page.open(address);
                assertThat(page.page().locator(".empty > p:first-child").allTextContents())
                        .as(address)
                        .containsExactlyElementsOf(expected);
                assertThat(page.page().locator(".empty > p:nth-child(2)").allTextContents())
                        .as("what to do next on %s", address)
                        .hasSameSizeAs(expected)
                        .allMatch(each -> each.length() > 15);
            });
        }
    }
}
