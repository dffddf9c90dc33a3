package dev.semel.console.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The browser of the machine. It downloads nothing. */
public final class Chromium {
    private static final List<String> ARGUMENTS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync");

    private static Chromium shared;

    private final Browser browser;

    private Chromium(Browser browser) {
        this.browser = browser;
    }

    /**
     * The one of this process; it ends with the process. Where Chromium is not installed the calling test is aborted with the reason; with the environment variable {@code CI}
     * set it fails.
     */
    public static Chromium shared() {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    private static Chromium start() {
        Optional<Path> program = Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        if (program.isEmpty()) {
            String reason = "No Chromium was found in /usr/bin. Install the package chromium.";
            if (System.getenv("CI") != null) {
                throw new IllegalStateException(reason);
            }
            return Assumptions.abort(reason);
        }
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Browser browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program.get())
                        .setArgs(ARGUMENTS));
        return new Chromium(browser);
    }

    public Browser browser() {
        return browser;
    }
}
