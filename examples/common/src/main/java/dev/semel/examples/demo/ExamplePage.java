package dev.semel.examples.demo;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The README of an example: what its demo prints, and the tests that it names. */
public final class ExamplePage {
    private static final Pattern NAMED = Pattern.compile("`((?:\\w+\\.)?[A-Z]\\w+Test)(?:\\.(\\w+))?`");
    private static final String BEGIN = "```text\n";
    private static final String END = "```";

    private final String text;

    private ExamplePage(String text) {
        this.text = text;
    }

    /** The page of the module whose tests are running. */
    public static ExamplePage ofThisModule() throws IOException {
        return new ExamplePage(Files.readString(Path.of("README.md")));
    }

    /** How many tests and test classes it names. */
    public long namedTests() {
        return NAMED.matcher(text).results().count();
    }

    /**
     * The tests that it names and that do not exist.
     *
     * @param anyTest a class of the package below which the tests are
     */
    public List<String> missingTests(Class<?> anyTest) {
        List<String> missing = new ArrayList<>();
        for (MatchResult named : NAMED.matcher(text).results().toList()) {
            if (!exists(anyTest.getPackageName() + "." + named.group(1), named.group(2))) {
                missing.add(named.group());
            }
        }
        return missing;
    }

    private static boolean exists(String type, @Nullable String method) {
        try {
            Method[] methods = Class.forName(type).getDeclaredMethods();
            return method == null || Arrays.stream(methods).map(Method::getName).anyMatch(method::equals);
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Whether it names this test. */
    public boolean names(String test) {
        return text.contains("." + test + "`") || text.contains("`" + test + "`");
    }

    /** Its first block of text without blank lines: the transcript of the demo. */
    public List<String> transcript() {
        int from = text.indexOf(BEGIN) + BEGIN.length();
        return lines(text.substring(from, text.indexOf(END, from)));
    }

    /** The lines of a transcript; what differs from run to run is replaced. */
    public static List<String> lines(String transcript) {
        return transcript
                .lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.replaceAll("\\(ref [^)]*\\)", "(ref ...)")
                        .replaceAll("sqlite:\\S+", "sqlite:...")
                        .replaceAll("dead replay [0-9a-f]{12}", "dead replay ID")
                        .replaceAll("after \\d+ calls", "after some calls"))
                .toList();
    }
}
