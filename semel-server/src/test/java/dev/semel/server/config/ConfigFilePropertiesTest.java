package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever a file contains: it is accepted, or rejected with faults inside of it, and secrets are not shown. */
class ConfigFilePropertiesTest {
    private static final int MOST_FAULT_TEXT = 3_000;

    private static Path directory = Path.of("");
    private static String example = "";

    @BeforeContainer
    static void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("semel-config");
        example = SampleConfig.example(directory)
                .replace("X-Environment: production", "X-Environment: literalHUNTERvalue")
                .replace("secrets: ${env:CRM_SECRET}", "secrets: literalHUNTERsecret");
    }

    @AfterContainer
    static void removeDirectory() throws IOException {
        Files.deleteIfExists(directory.resolve("semel.yaml"));
        Files.deleteIfExists(directory.resolve("stripe-old"));
        Files.deleteIfExists(directory);
    }

    /** One change of a text, by bytes or by lines. */
    record Mutation(int kind, int at, int length, String insertion) {
        String apply(String text) {
            int from = text.isEmpty() ? 0 : Math.floorMod(at, text.length());
            int to = Math.min(text.length(), from + length);
            List<String> lines = List.of(text.split("\n", -1));
            int line = Math.floorMod(at, lines.size());
            return switch (kind) {
                case 0 -> text.substring(0, from) + insertion + text.substring(from);
                case 1 -> text.substring(0, from) + text.substring(to);
                case 2 -> text.substring(0, to) + text.substring(from, to) + text.substring(to);
                case 3 ->
                    String.join("\n", lines.subList(0, line)) + "\n" + insertion + "\n"
                            + String.join("\n", lines.subList(line, lines.size()));
                default ->
                    text.replace(
                            lines.get(line),
                            lines.get(line).replaceFirst(":.*", ": " + insertion.replaceAll("[\\\\$]", "")));
            };
        }
    }

    @Provide
    Arbitrary<Mutation> mutations() {
        Arbitrary<String> insertions = Arbitraries.oneOf(
                Arbitraries.strings().ofMaxLength(12),
                Arbitraries.of(
                        "{",
                        "}",
                        "[",
                        "]",
                        ": ",
                        "- ",
                        "? ",
                        "&a ",
                        "*a ",
                        "!!str ",
                        "<<: ",
                        "|",
                        ">",
                        "\"",
                        "'",
                        "#",
                        "\t",
                        "%YAML 1.2",
                        "---",
                        "...",
                        "${",
                        "$${",
                        "${env:",
                        "${env:BAD}",
                        "${file:/}",
                        "${file:/dev/zero}",
                        "null",
                        "~",
                        "0",
                        "-1",
                        "true",
                        "99999999999999999999",
                        "1e999",
                        "PT1S",
                        "\u0000",
                        "\ufeff",
                        "\ud83d\ude00",
                        "\ue000",
                        "a: b",
                        "[[[]]]",
                        "{a: {b: c}}"));
        return Combinators.combine(
                        Arbitraries.integers().between(0, 4),
                        Arbitraries.integers().between(0, 5_000),
                        Arbitraries.integers().between(0, 60),
                        insertions)
                .as(Mutation::new);
    }

    @Property(tries = 1_500, shrinking = ShrinkingMode.BOUNDED)
    void changedFileIsAcceptedOrRejectedWithFaults(@ForAll("someMutations") List<Mutation> mutations) {
        String text = example;
        for (Mutation each : mutations) {
            text = each.apply(text);
        }
        assertJudged(text);
    }

    @Provide
    Arbitrary<List<Mutation>> someMutations() {
        return mutations().list().ofMinSize(1).ofMaxSize(6);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void anyTextIsAcceptedOrRejectedWithFaults(@ForAll String text) {
        assertJudged(text);
    }

    @Property(tries = 500, shrinking = ShrinkingMode.BOUNDED)
    void anyBytesAreAcceptedOrRejectedWithFaults(@ForAll byte[] bytes) {
        assertJudged(bytes);
    }

    private static void assertJudged(String text) {
        assertJudged(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertJudged(byte[] bytes) {
        Path file = directory.resolve("semel.yaml");
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            ConfigFile read = ConfigFile.read(file, SampleConfig.secrets());
            assertThat(read.toString()).doesNotContain("HUNTER");
        } catch (ConfigFaults wrong) {
            long lines = new String(bytes, StandardCharsets.UTF_8).lines().count() + 1;
            assertThat(wrong.findings())
                    .isNotEmpty()
                    .hasSizeLessThanOrEqualTo(FindingList.MOST)
                    .allSatisfy(fault -> {
                        assertThat(fault.line()).isBetween(1, (int) lines);
                        assertThat(fault.column()).isPositive();
                        assertThat(fault.message()).isNotBlank().hasSizeLessThan(MOST_FAULT_TEXT);
                    });
            assertThat(wrong.getMessage())
                    .doesNotContain("HUNTERsecret", "HUNTERtoken", "HUNTERpassword", "HUNTERvalue");
        }
    }
}
