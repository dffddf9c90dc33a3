package dev.semel.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.semel.console.browser.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** A person in front of the console, in a browser profile of their own. */
final class ConsolePage implements AutoCloseable {
    private static final String AXE = resource("/axe/axe.min.js");

    /** Violations that keep people out, with where they are. All rules but those of level AAA. */
    private static final String EXAMINATION = """
            async part => {
              const rules = axe.getRules().filter(each => !each.tags.includes('wcag2aaa')).map(each => each.ruleId);
              const found = await axe.run(part, {resultTypes: ['violations'], runOnly: {type: 'rule', values: rules}});
              return found.violations.filter(each => ['serious', 'critical'].includes(each.impact))
                .map(each => each.id + ': ' + each.nodes.map(node => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | '));
            }
            """;

    private final String console;
    private final BrowserContext context;
    private final Page page;
    private final List<String> errors = new CopyOnWriteArrayList<>();

    /** What the browser looks like. */
    record Screen(int width, int height, ColorScheme colors) {
        static final Screen DESKTOP = new Screen(1280, 800, ColorScheme.LIGHT);
        static final Screen DARK = new Screen(1280, 800, ColorScheme.DARK);
        static final Screen PHONE = new Screen(390, 844, ColorScheme.LIGHT);
        static final Screen DARK_PHONE = new Screen(390, 844, ColorScheme.DARK);
        static final List<Screen> ALL = List.of(DESKTOP, DARK, DARK_PHONE, PHONE);
    }

    ConsolePage(Chromium chromium, ConsoleServer server, Screen screen) {
        this(chromium, server.console(), screen);
    }

    /** @param console where a browser finds the console */
    ConsolePage(Chromium chromium, String console, Screen screen) {
        this.console = console;
        this.context = chromium.browser()
                .newContext(new Browser.NewContextOptions()
                        .setViewportSize(screen.width(), screen.height())
                        .setColorScheme(screen.colors()));
        this.page = context.newPage();
        page.setDefaultTimeout(15_000);
        page.onPageError(errors::add);
        page.onConsoleMessage(message -> {
            // A 401 before the login is expected, and the browser reports it as an error.
            if (message.type().equals("error") && !message.text().contains("status of 401")) {
                errors.add(message.text());
            }
        });
        String host = URI.create(console).getAuthority();
        page.onRequest(request -> {
            URI asked = URI.create(request.url());
            if (asked.getScheme().startsWith("http") && !host.equals(asked.getAuthority())) {
                errors.add("request to another host: " + asked);
            }
        });
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(ConsolePage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Page page() {
        return page;
    }

    /** Errors of scripts, of the network and of the content security policy; and requests to any host but the console's. */
    List<String> errors() {
        return errors;
    }

    ConsolePage visit() {
        page.navigate(console);
        return this;
    }

    ConsolePage logIn(String secret) {
        visit();
        enter(secret);
        ready();
        return this;
    }

    void enter(String secret) {
        page.getByLabel("Secret").fill(secret);
        button("Log in").click();
    }

    /** Goes to an address of the console, such as {@code #/records}. */
    ConsolePage open(String address) {
        page.navigate(console + address);
        ready();
        return this;
    }

    /** Waits until the page has read its data. */
    void ready() {
        page.locator("#main[data-ready][aria-busy=false]").waitFor();
    }

    Locator main() {
        return page.locator("#main");
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator link(String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator field(String name) {
        return page.getByLabel(name, new Page.GetByLabelOptions().setExact(true));
    }

    Locator dialog() {
        return page.getByRole(AriaRole.DIALOG);
    }

    /** Gives the reason and presses the button of the dialog that is open; it must close. */
    void confirm(String verb) {
        dialog().getByLabel("Reason").fill("ticket 4711");
        dialog().getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(verb).setExact(true))
                .click();
        assertThat(dialog()).hasCount(0);
    }

    /** What the console tells about the last action. */
    Locator told() {
        return page.locator("#live");
    }

    /** Rows of the tables of the page. */
    Locator rows() {
        return page.locator("#main tbody tr");
    }

    /** What keeps people with a disability out; empty when nothing serious does. */
    List<String> barriers() {
        return barriersOf("html");
    }

    /** @param part a selector */
    List<String> barriersOf(String part) {
        if (page.evaluate("() => typeof axe").equals("undefined")) {
            page.evaluate(AXE);
        }
        return ((List<?>) page.evaluate(EXAMINATION, part))
                .stream().map(String::valueOf).toList();
    }

    void show(Screen screen) {
        page.setViewportSize(screen.width(), screen.height());
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(screen.colors()));
    }

    /** The status of a request that the page itself sends. */
    int fetch(String method, String path, Map<String, String> headers, String body) {
        Object status = page.evaluate(
                "async ([method, path, headers, body]) => (await fetch(path, {method, headers, body: body || undefined})).status",
                List.of(method, path, headers, body));
        return ((Number) status).intValue();
    }

    @Override
    public void close() {
        context.close();
    }
}
