package dev.semel.server.config;

import static dev.semel.server.config.SampleConfig.SMALL;
import static dev.semel.server.config.SampleConfig.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Secrets come from variables and files, and are shown nowhere. */
class SecretsTest {
    private static final String SECRET = "fileHUNTERsecretfile";

    @TempDir
    private Path directory;

    private String fromFile(byte[] content) throws IOException {
        Path file = Files.write(directory.resolve("secret"), content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return with("url:", "url: https://app.example/", "headers: {X-A: \"${file:" + file + "}\"}");
    }

    private String headerFrom(String content) throws IOException {
        ServerConfig config = SampleConfig.config(directory, fromFile(content.getBytes(StandardCharsets.UTF_8)));
        return config.destinations().get(0).target().headers().get("X-A");
    }

    @Test
    void oneLineBreakAtTheEndOfAFileDoesNotCount() throws IOException {
        assertThat(headerFrom(SECRET)).isEqualTo(SECRET);
        assertThat(headerFrom(SECRET + "\n")).isEqualTo(SECRET);
        assertThat(headerFrom(SECRET + "\r\n")).isEqualTo(SECRET);
        assertThat(headerFrom(SECRET + " \n")).isEqualTo(SECRET + " ");
        assertThat(SampleConfig.faults(directory, fromFile((SECRET + "\n\n").getBytes(StandardCharsets.UTF_8))))
                .singleElement()
                .asString()
                .contains("cannot be sent");
    }

    @Test
    void fileThatIsEmptyTooLargeOrBinaryIsAFaultThatNamesIt() throws IOException {
        String file = "the file '" + directory.resolve("secret") + "' ";
        assertThat(SampleConfig.faults(directory, fromFile("\n".getBytes(StandardCharsets.UTF_8))))
                .containsExactly("10:20: " + file + "is empty");
        assertThat(SampleConfig.faults(directory, fromFile(new byte[(64 << 10) + 1])))
                .containsExactly("10:20: " + file + "is larger than 64 KiB");
        assertThat(SampleConfig.faults(directory, fromFile(new byte[] {(byte) 0xff, 'a'})))
                .containsExactly("10:20: " + file + "is not UTF-8 text");
    }

    @Test
    void emptyVariableIsAFault() {
        Path file = SampleConfig.write(directory, SMALL);
        ConfigFaults wrong = catchThrowableOfType(
                ConfigFaults.class, () -> ConfigFile.read(file, Secrets.of(Map.of("SECRET", " "))));
        assertThat(wrong.faults()).containsExactly("6:14: the environment variable SECRET is empty");
    }

    @Test
    void fileThatEveryUserCanReadIsAWarning() throws IOException {
        String text = fromFile(SECRET.getBytes(StandardCharsets.UTF_8));
        assertThat(SampleConfig.read(directory, text).warnings()).isEmpty();
        Files.setPosixFilePermissions(directory.resolve("secret"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(SampleConfig.read(directory, text).warnings())
                .extracting(ConfigFinding::toString)
                .containsExactly("10:20: the file " + directory.resolve("secret")
                        + " can be read by every user of this machine: chmod 600 it");
    }

    @Test
    void valueOfAReferenceIsNotSearchedForReferences() {
        Path file = SampleConfig.write(
                directory, with("url:", "url: https://app.example/", "headers: {X-A: \"${env:A}\"}"));
        ConfigFile read = ConfigFile.read(file, Secrets.of(SampleConfig.variablesWith("A", "${env:SECRET}")));
        assertThat(read.config().destinations().get(0).target().headers()).containsEntry("X-A", "${env:SECRET}");
    }

    @Test
    void configurationDoesNotShowSecrets() throws IOException {
        ConfigFile read = SampleConfig.read(directory, SampleConfig.example(directory));
        assertThat(read.toString()).contains("stripe", "billing").doesNotContain("HUNTER", "7f3a9c1e5b2d4068a1c3e5f7");
        assertThat(read.config().sources().toString()).doesNotContain("HUNTER");
        assertThat(read.config().destinations().toString()).doesNotContain("HUNTER", "production");
        assertThat(SampleConfig.config(directory, with("url:", "url: ${env:URL}"))
                        .toString())
                .contains("https://example.com")
                .doesNotContain("HUNTER");
        assertThat(SampleConfig.secrets().toString()).doesNotContain("HUNTER");
        assertThat(new Secrets.SecretLookup(SECRET, "", false).toString()).doesNotContain("HUNTER");
    }

    /** Every setting of every part, with a bad value from a variable. */
    static List<String> badValues() throws IOException {
        return ServerConfigurationPageTest.filesWithEach("${env:BAD}");
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void faultOfAValueFromAVariableDoesNotShowIt(String text) {
        Path file = SampleConfig.write(directory, text);
        try {
            ConfigFile.read(file, SampleConfig.secrets());
        } catch (ConfigFaults wrong) {
            StringWriter trace = new StringWriter();
            wrong.printStackTrace(new PrintWriter(trace, true));
            assertThat(wrong.faults().toString() + wrong.findings() + wrong + trace)
                    .doesNotContain("HUNTER");
        }
    }
}
