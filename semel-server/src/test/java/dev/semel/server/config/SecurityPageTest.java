package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.access.Role;
import dev.semel.server.access.FailedAttempts;
import dev.semel.server.session.SessionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configurations of {@code docs/security.md} are accepted, and its figures are those of the code. */
class SecurityPageTest {
    private static final Path PAGE = Path.of("..", "docs", "security.md");

    @TempDir
    private Path directory;

    private static List<String> examples() throws IOException {
        List<String> page = Files.readAllLines(PAGE);
        List<String> examples = new ArrayList<>();
        for (int i = 0; i < page.size(); i++) {
            if (page.get(i).equals("```yaml")) {
                assertThat(page.get(i - 1)).as("each example is checked").isEqualTo("<!-- checked -->");
                int end = i + page.subList(i, page.size()).indexOf("```");
                examples.add(String.join("\n", page.subList(i + 1, end)) + "\n");
            }
        }
        return examples;
    }

    private Path secretFile(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void examplesHaveNeitherFaultsNorWarnings() throws IOException {
        Path bob = secretFile("bob", "bobHUNTERsecret0123456789\n");
        secretFile("tls.crt", "certificate");
        secretFile("tls.key", "key");
        List<String> examples = examples();
        assertThat(examples).hasSize(5);
        for (String example : examples) {
            ConfigFile read = SampleConfig.read(directory, example.replace("/run/secrets/bob", bob.toString()));
            assertThat(read.warnings()).as(example).isEmpty();
            assertThat(read.config().operators().isLoopbackOnly()).isFalse();
        }
    }

    @Test
    void figuresAreThoseOfTheCode() throws IOException {
        assertThat(Files.readString(PAGE))
                .contains("idle for " + SessionLimits.USUAL.idle().toMinutes() + " minutes, after "
                        + SessionLimits.USUAL.longest().toHours() + "\n  hours")
                .contains("at most " + SessionLimits.USUAL.perUser() + "; one more ends the oldest")
                .contains("After " + FailedAttempts.ALLOWED + " failed attempts")
                .contains(Arrays.stream(Role.values())
                        .map(role -> "\n| `" + role.code() + "` |")
                        .toList());
    }
}
