package dev.semel.examples.planner;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.semel.Failure;
import dev.semel.console.browser.Chromium;
import dev.semel.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The console of the planner in a browser: people log in with their token, and see and mend the work of their organisation. */
class ConsoleTest {
    private final List<BrowserContext> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(BrowserContext::close);
    }

    private Page as(Person who) {
        return browser(who.planner(), new Browser.NewContextOptions().setHttpCredentials(who.name(), who.token()));
    }

    private Page browser(Planner planner, Browser.NewContextOptions options) {
        BrowserContext context = Chromium.shared()
                .browser()
                .newContext(options.setBaseURL(planner.base().toString()));
        open.add(context);
        Page page = context.newPage();
        page.setDefaultTimeout(15_000);
        return page;
    }

    private static void visit(Page page, String address) {
        page.navigate("/console/" + address);
        page.locator("#main[data-ready][aria-busy=false]").waitFor();
    }

    /** An organisation of which somebody could not be notified. */
    private static Organisation withDeadLetters(Engine engine, int count) {
        Organisation home = engine.organisation();
        engine.planner().notifier().when(home.id(), call -> {
            throw Failure.of(Failure.Category.VALIDATION, "Nobody has that address.")
                    .asException();
        });
        Person ada = home.ada();
        String mission = ada.newMission(ada.newProject());
        for (int i = 0; i < count; i++) {
            ada.newAssignment(mission, "nobody-" + i);
        }
        Await.until(
                "the notifications are dead letters",
                () -> ada.get("/v1/dead-letters").json().size() == count);
        return home;
    }

    private static String deadLetter(Person who) {
        return who.get("/v1/dead-letters").json().path(0).path("id").asString();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void act(Page page, String verb) {
        button(page, verb).first().click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Reason").fill("ticket 4711");
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(verb).setExact(true))
                .click();
        assertThat(dialog).hasCount(0);
    }

    @ParameterizedTest
    @EnumSource
    void withoutATokenThereIsNothing(Engine engine) {
        Page page = browser(engine.planner(), new Browser.NewContextOptions());
        assertThat(page.request().get("/console/").status()).isEqualTo(401);
        assertThat(page.request().get("/console/api/v1/admin/records").status()).isEqualTo(401);
        Person ada = engine.organisation().ada();
        Page wrong = browser(engine.planner(), new Browser.NewContextOptions().setHttpCredentials("bob", ada.token()));
        assertThat(wrong.request().get("/console/").status()).isEqualTo(401);
        assertThat(as(ada).request().get("/console/").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @EnumSource
    void peopleSeeTheRecordsOfTheirOrganisationOnly(Engine engine) {
        Organisation home = withDeadLetters(engine, 1);
        Organisation other = withDeadLetters(engine, 1);
        Page page = as(home.ada());
        for (String address : List.of("", "#/records", "#/dead", "#/channels", "#/audit")) {
            visit(page, address);
            assertThat(page.locator(".person")).containsText("operator, tenant " + home.id());
            assertThat(page.content()).as(address).doesNotContain(other.id());
        }
        visit(page, "#/dead");
        assertThat(page.locator("#main")).containsText("1 message, 1 cause");
        assertThat(page.locator("#main")).containsText("Nobody has that address.");
        visit(page, "#/records/" + deadLetter(other.ada()));
        assertThat(page.locator("#main")).containsText("could not be read");
        visit(page, "#/records?tenant=" + other.id());
        assertThat(page.locator("#main")).containsText("nothing of another exists for you");
    }

    @ParameterizedTest
    @EnumSource
    void plannerReplaysAndDiscardsWithAReason(Engine engine) {
        Organisation home = withDeadLetters(engine, 2);
        Person ada = home.ada();
        Page page = as(ada);
        visit(page, "#/records/" + deadLetter(ada));
        assertThat(page.locator("#main")).containsText("is dead after 1 attempt");
        act(page, "Discard");
        assertThat(page.locator(".title .label")).hasText("Discarded");
        assertThat(ada.get("/v1/dead-letters").json().size()).isEqualTo(1);

        engine.planner().notifier().when(home.id(), call -> {});
        visit(page, "#/records/" + deadLetter(ada));
        act(page, "Replay");
        Await.until("nothing is dead", () -> ada.get("/v1/dead-letters").json().size() == 0);
        visit(page, "#/audit?type=operator.replayed");
        assertThat(page.locator("#main tbody tr")).hasCount(1);
        assertThat(page.locator("#main tbody tr")).containsText("ada");
        assertThat(page.locator("#main tbody tr")).containsText("ticket 4711");
    }

    @ParameterizedTest
    @EnumSource
    void readerLooksAndChangesNothing(Engine engine) {
        Organisation home = withDeadLetters(engine, 1);
        Person ada = home.ada();
        Page page = as(home.reader());
        visit(page, "#/records/" + deadLetter(ada));
        assertThat(page.locator(".person")).containsText("viewer");
        assertThat(button(page, "Replay")).hasCount(0);
        assertThat(post(page, deadLetter(ada), Map.of("X-Semel-Console", "1"))).isEqualTo(403);
        assertThat(ada.get("/v1/dead-letters").json().size()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void pageOfAnotherSiteChangesNothing(Engine engine) {
        Organisation home = withDeadLetters(engine, 1);
        Person ada = home.ada();
        Page page = as(ada);
        visit(page, "#/dead");
        String letter = deadLetter(ada);
        assertThat(post(page, letter, Map.of())).as("as a form sends it").isEqualTo(403);
        String elsewhere = engine.planner().base().toString().replace("127.0.0.1", "localhost");
        Response form = submitForm(page, elsewhere, letter);
        assertThat(form.status()).as("from another site").isEqualTo(403);
        assertThat(ada.get("/v1/dead-letters").json().size()).isEqualTo(1);
    }

    /** As the page does, with the person's login. */
    private static int post(Page page, String letter, Map<String, String> headers) {
        Object status = page.evaluate(
                "async ([path, headers]) => (await fetch(path, {method: 'POST', headers: {'Content-Type': 'application/json', ...headers},"
                        + " body: '{\"reason\":\"forged\"}'})).status",
                List.of("/console/api/v1/admin/records/" + letter + "/discard", headers));
        return ((Number) status).intValue();
    }

    /** A page of another site sends a form to the planner; the browser sends the login along. */
    private static Response submitForm(Page page, String elsewhere, String letter) {
        String target =
                page.url().replaceFirst("/console/.*", "") + "/console/api/v1/admin/records/" + letter + "/discard";
        page.route(
                elsewhere + "/",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/html")
                        .setBody("<form method='post' enctype='text/plain' action='" + target
                                + "'><input name='{\"reason\":\"forged\",\"x\":\"' value='\"}'></form>")));
        page.navigate(elsewhere + "/");
        return page.waitForResponse(
                response -> response.url().equals(target) && response.status() != 401,
                () -> page.evaluate("document.forms[0].submit()"));
    }
}
