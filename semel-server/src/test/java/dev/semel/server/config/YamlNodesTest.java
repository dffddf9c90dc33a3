package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile and broken YAML is rejected at its line, within bounds, and without repeating the file. */
class YamlNodesTest {
    @TempDir
    private Path directory;

    static Stream<Arguments> rejected() {
        return Stream.of(
                Arguments.of("store: [a, b\n", "2:1: this is not YAML: expected ',' or ']'"),
                Arguments.of("store: a\n\tlisten: b\n", "2:1: this is not YAML: found character '\\t(TAB)'"),
                Arguments.of(
                        "store: @HUNTER\n", "1:8: this is not YAML: found character '@' that cannot start any token"),
                Arguments.of("store: *HUNTER\n", "1:8: this is not YAML: found undefined alias"),
                Arguments.of(
                        "store: \"\\uHUNTER\"\n",
                        "1:11: this is not YAML: expected escape sequence of 4 hexadecimal numbers"),
                Arguments.of("store: \"\\HUNTER\"\n", "1:10: this is not YAML: found an unknown escape character"),
                Arguments.of("a: b: HUNTER\n", "1:5: this is not YAML: mapping values are not allowed here"),
                Arguments.of(
                        "to: [${env:HUNTER}]\n",
                        "1:7: this is not YAML: expected ',' or ']'; put a reference inside of [] or {} into double quotes"),
                Arguments.of("store: !!java.net.URL [HUNTER]\n", "1:8: the file is rejected: tags"),
                Arguments.of("store: !HUNTER a\n", "1:8: the file is rejected: tags"),
                Arguments.of("!HUNTER\nstore: a\n", "1:1: the file is rejected: tags"),
                Arguments.of("store: a\n---\nstore: HUNTER\n", "2:1: the file is rejected: a second document begins"),
                Arguments.of("a: &a [*a]\nstore: HUNTER\n", "1:1: unknown setting 'a'"),
                Arguments.of(
                        "a:\n" + "- ".repeat(40) + "HUNTER\n",
                        "2:31: the file is rejected: more than 16 levels of nesting"),
                Arguments.of("a: " + "[".repeat(500_000), "1:19: the file is rejected: more than 16 levels"),
                Arguments.of(
                        "a: [" + "b,".repeat(100_000) + "]", "1:99999: the file is rejected: more than 50000 values"),
                Arguments.of(
                        "a: &x b\nc: [" + "*x ,".repeat(51) + "]", "2:205: the file is rejected: more than 50 aliases"),
                Arguments.of("a: " + "b".repeat(600_000), "1:1: the file is larger than 512 KiB"),
                Arguments.of("store: \u0007HUNTER\n", "1:8: a control character is not allowed"),
                Arguments.of("store: a\nb: \ufeffHUNTER\n", "2:4: a control character is not allowed"));
    }

    @ParameterizedTest
    @MethodSource("rejected")
    void brokenFileIsRejectedAtItsLineWithoutRepeatingIt(String text, String fault) {
        assertThat(SampleConfig.faults(directory, text)).first().asString().startsWith(fault);
        assertThat(SampleConfig.faults(directory, text).toString().replace("${env:HUNTER}", ""))
                .doesNotContain("HUNTER");
    }

    /** Nine levels of nine aliases each would be 387 million values. */
    @Test
    void aliasesThatMultiplyAreRejected() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 9; i++) {
            bomb.append("a").append(i).append(": &a").append(i).append(" [");
            bomb.append(("*a" + (i - 1) + " ,").repeat(9)).append("]\n");
        }
        assertThat(SampleConfig.faults(directory, bomb.toString()))
                .singleElement()
                .asString()
                .contains("more than 50 aliases");
    }

    /** Below the limit of aliases, 2 to the 25th values: what is unknown is not entered. */
    @Test
    void aliasesBelowTheLimitAreNotMultiplied() {
        StringBuilder doubled = new StringBuilder("a0: &a0 [x]\n");
        for (int i = 1; i <= 25; i++) {
            doubled.append("a%d: &a%d [*a%d , *a%d ]\n".formatted(i, i, i - 1, i - 1));
        }
        assertThat(SampleConfig.faults(directory, doubled.toString()))
                .hasSize(27)
                .anyMatch(fault -> fault.contains("unknown setting 'a25'"));
        String to = SampleConfig.with("to:", "to: &t [*t , app]");
        assertThat(SampleConfig.faults(directory, to))
                .containsExactly("12:9: 'to' of route 1 must be one value, not a list or settings");
    }

    @Test
    void bytesThatAreNotUtf8AreAFaultAtTheirLine() throws IOException {
        Path file = directory.resolve("semel.yaml");
        Files.write(file, "store: a\nb: \u00e4".getBytes(StandardCharsets.ISO_8859_1));
        FindingList findings = new FindingList();
        assertThat(new YamlNodes(findings).read(file)).isEmpty();
        assertThat(findings.faults())
                .extracting(ConfigFinding::toString)
                .containsExactly("2:4: the file is not UTF-8 here: save it as UTF-8");
    }

    @Test
    void byteOrderMarkAndAnchorsAreAccepted() {
        String text = "\ufeff"
                + SampleConfig.with("url:", "url: https://app.example/hooks", "headers: &h {X-A: b}")
                        .replace("routes:", "  two: {url: https://two.example/, headers: *h }\nroutes:");
        ServerConfig config = SampleConfig.config(directory, text);
        assertThat(config.destinations())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.target().headers()).containsEntry("X-A", "b"));
    }
}
