package dev.semel.server.console;

import com.microsoft.playwright.Page;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a page asks of the overview, and whether somebody looks at the page. */
final class WatchedStreams {
    /** Scripts of a test run outside of the content security policy. */
    private static final String KEEP = """
            window.streams = [];
            window.EventSource = class extends window.EventSource {
              constructor(...all) {
                super(...all);
                window.streams.push(this);
              }
            };
            """;

    private static final String SHOW = """
            hidden => {
              Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden});
              document.dispatchEvent(new Event('visibilitychange'));
            }
            """;

    private final Page page;
    private final List<String> reads = new CopyOnWriteArrayList<>();

    WatchedStreams(Page page) {
        this.page = page;
        page.addInitScript(KEEP);
        page.onRequest(request -> {
            if (request.url().contains("/admin/overview") && !request.url().contains("/overview/live")) {
                reads.add(request.url());
            }
        });
    }

    /** How many are open. */
    int open() {
        return ((Number) page.evaluate("() => streams.filter(each => each.readyState === EventSource.OPEN).length"))
                .intValue();
    }

    void awaitOpen(int count) {
        page.waitForFunction(
                "count => streams.filter(each => each.readyState === EventSource.OPEN).length === count", count);
    }

    /** Requests that read the overview once. */
    int reads() {
        return reads.size();
    }

    /** As if another tab were in front of the page. */
    void hide() {
        page.evaluate(SHOW, true);
    }

    void reveal() {
        page.evaluate(SHOW, false);
    }
}
