package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of docs/server.md with which a reader sends a webhook to a new source. */
class ServerPageTest {
    private static final Path PAGE = Path.of("..", "docs", "server.md");
    private static final String SECRET = "whsec_MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=";
    private static final String PATH = "/webhooks/shop/7f3a9c1e5b2d4068a1c3e5f7";

    @Test
    void scriptOfThePageSendsAWebhookThatIsAcceptedAndThenADuplicate(@TempDir Path directory) throws Exception {
        for (String tool : new String[] {"curl", "openssl", "base64", "od"}) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin", tool)), tool + " is not installed");
        }
        Path file =
                Files.writeString(directory.resolve("semel.yaml"), """
                store: sqlite:%s
                listen:
                  port: 0
                sources:
                  shop:
                    path: %s
                    scheme: standard-webhooks
                    secrets: ${env:SHOP_SECRET}
                """.formatted(directory.resolve("semel.db"), PATH));
        ConfigFile config = ConfigFile.read(file, Secrets.of(Map.of("SHOP_SECRET", SECRET)));
        try (SemelServer server = SemelServer.start(config.config())) {
            String url = server.uri().resolve(PATH).toString();
            assertThat(run(url)).contains("200 OK", "Semel-Ingress: accepted");
            assertThat(run(url)).contains("200 OK", "Semel-Ingress: duplicate");
        }
    }

    private static String run(String url) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", script()).redirectErrorStream(true);
        builder.environment().put("SHOP_SECRET", SECRET);
        builder.environment().put("SHOP_URL", url);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return printed;
    }

    private static String script() throws Exception {
        String page = Files.readString(PAGE);
        String begin = "```sh\n";
        int from = page.indexOf(begin, page.indexOf("<!-- script:")) + begin.length();
        return page.substring(from, page.indexOf("```", from));
    }
}
