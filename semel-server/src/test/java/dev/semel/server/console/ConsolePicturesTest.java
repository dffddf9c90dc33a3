package dev.semel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.console.browser.Chromium;
import dev.semel.server.console.ConsolePage.Screen;
import dev.semel.server.console.ConsoleServer.LedgerKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pictures of the documentation, written with {@code -Ddocs=write}. */
@Timeout(120)
class ConsolePicturesTest {
    private static final Path PICTURES = Path.of("../docs/images/console");
    private static final long LARGEST = 150_000;

    @Test
    void picturesAreWrittenAndSmall() throws IOException {
        Assumptions.assumeTrue(
                "write".equals(System.getProperty("docs")), "Pictures are written with -Ddocs=write only.");
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", ConsoleAddress.OVERVIEW.address());
        pages.put("records", ConsoleAddress.RECORDS.address());
        pages.put("record", "#/records/" + TroubledLedger.id("acme", "mail", "lost-1"));
        pages.put("dead-letters", ConsoleAddress.DEAD.address());
        pages.put("channels", ConsoleAddress.LANE.address());
        pages.put("modes", ConsoleAddress.MODES.address());
        pages.put("audit", ConsoleAddress.AUDIT.address());
        pages.put("server", ConsoleAddress.SERVER.address());
        Files.createDirectories(PICTURES);
        try (ConsoleServer server = ConsoleServer.start(LedgerKind.SQLITE, "552 quota exceeded");
                ConsolePage page = new ConsolePage(Chromium.shared(), server, Screen.DESKTOP)) {
            page.logIn(ConsoleServer.ADMIN);
            for (Map.Entry<String, String> each : pages.entrySet()) {
                page.show(Screen.DESKTOP);
                page.open(each.getValue());
                write(page, each.getKey() + "-light");
                page.show(Screen.DARK);
                write(page, each.getKey() + "-dark");
            }
            page.show(Screen.PHONE);
            page.open(ConsoleAddress.RECORDS.address());
            write(page, "records-phone");
            page.show(Screen.DARK_PHONE);
            page.open(ConsoleAddress.OVERVIEW.address());
            write(page, "overview-phone-dark");
            page.open(ConsoleAddress.RECORDS.address());
            write(page, "records-phone-dark");
        }
    }

    private static void write(ConsolePage page, String name) throws IOException {
        Path file = PICTURES.resolve(name + ".png");
        page.page().mouse().move(0, 0);
        byte[] taken = page.page().screenshot(new Page.ScreenshotOptions());
        ImageIO.write(FewColours.of(ImageIO.read(new ByteArrayInputStream(taken))), "png", file.toFile());
        assertThat(Files.size(file)).as(name).isLessThan(LARGEST);
    }
}
