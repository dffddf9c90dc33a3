package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * What the page for operators shows is what the commands print, from its beginning to its end on one ledger. When it is not,
 * the page as it should be is in the directory of the build.
 */
class OperationsPageTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path PAGE = DOCS.resolve("operations.md");
    private static final Pattern EVENT = Pattern.compile("<!-- shop: (.*) -->");
    private static final Pattern FILE = Pattern.compile("<!-- file: (\\S+) (.*) -->");
    private static final Pattern COMMAND = Pattern.compile("`semel ([^`]+)`|^\\$ semel (.*)$", Pattern.MULTILINE);
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"operations.md", "runbooks.md"})
    void pageShowsTheOutputOfTheCommands(String name) throws IOException {
        List<String> page = Files.readAllLines(DOCS.resolve(name));
        List<String> played = play(page, SampleShop.in(directory));
        if (!masked(played).equals(masked(page))) {
            Files.write(Path.of("target", name), played);
        }
        assertThat(masked(played)).isEqualTo(masked(page));
        assertThat(page.stream().filter(line -> line.startsWith("$ semel "))).hasSizeGreaterThan(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"operations.md", "runbooks.md"})
    void everyCommandOnThePageTakesItsStoreAndJsonAndDocumentsItsExitCodes(String page) throws IOException {
        TreeSet<String> named = new TreeSet<>();
        Matcher commands = COMMAND.matcher(Files.readString(DOCS.resolve(page)));
        while (commands.find()) {
            List<String> words = words(commands.group(1) != null ? commands.group(1) : commands.group(2));
            CommandLine command = Main.commandLine();
            int used = 0;
            while (used < words.size() && command.getSubcommands().containsKey(words.get(used))) {
                command = command.getSubcommands().get(words.get(used++));
            }
            String name = command.getCommandSpec().qualifiedName();
            assertThat(command.getSubcommands()).as(commands.group()).isEmpty();
            assertThat(command.getCommandSpec().optionsMap())
                    .as(name)
                    .containsKeys(name.startsWith("semel policy ") ? "--properties" : "--store", "--json");
            assertThat(command.getUsageMessage()).as(name).contains("Exit codes:");
            for (String word : words.subList(used, words.size())) {
                if (word.startsWith("-")) {
                    assertThat(command.getCommandSpec().optionsMap()).as(name).containsKey(word);
                }
            }
            named.add(name);
        }
        assertThat(named).contains("semel audit export", "semel audit verify", "semel doctor", "semel retries");
    }

    @Test
    void everyAlarmHasItsRunbook() throws IOException {
        String rules = Files.readString(DOCS.resolve("alarms").resolve("semel.rules.yml"));
        List<String> alarms = all("- alert: (\\w+)", rules);
        List<String> runbooks = all("(?m)^## (Semel\\w+)$", Files.readString(DOCS.resolve("runbooks.md")));
        assertThat(alarms).isNotEmpty().containsExactlyElementsOf(runbooks);
        assertThat(all("runbook_url: (\\S+)", rules))
                .containsExactlyElementsOf(alarms.stream()
                        .map(alarm -> "../runbooks.md#" + alarm.toLowerCase(Locale.ROOT))
                        .toList());
    }

    private static List<String> all(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void exitCodesOfThePageAreThoseOfTheCommands() throws IOException {
        List<String> written = Files.readAllLines(PAGE).stream()
                .filter(line -> line.matches("\\| \\d+ \\|.*"))
                .map(line -> line.split("\\|")[1].strip())
                .toList();
        assertThat(written)
                .containsExactlyElementsOf(
                        Exit.meanings().keySet().stream().map(String::strip).toList());
    }

    /** The same page, with what the commands print now. */
    private List<String> play(List<String> page, SampleShop shop) throws IOException {
        List<String> played = new ArrayList<>();
        boolean transcript = false;
        for (String line : page) {
            if (line.startsWith("```")) {
                transcript = line.equals("```console");
            }
            Matcher event = EVENT.matcher(line);
            if (event.matches()) {
                happen(shop, event.group(1));
            }
            Matcher file = FILE.matcher(line);
            if (file.matches()) {
                Files.writeString(
                        directory.resolve(file.group(1)), file.group(2).replace("\\n", "\n"));
            }
            if (!transcript || line.startsWith("$ ") || line.startsWith("```")) {
                played.add(line);
            }
            if (transcript && line.startsWith("$ semel ")) {
                played.addAll(run(line.substring("$ semel ".length()), shop));
            }
        }
        return played;
    }

    private List<String> run(String command, SampleShop shop) {
        List<String> args = new ArrayList<>();
        for (String word : words(command)) {
            args.add(word.endsWith(".jsonl") ? directory.resolve(word).toString() : word);
        }
        if (!command.startsWith("policy ")) {
            args.addAll(List.of("--store", shop.url()));
        }
        Shell shell = Shell.semel(args.toArray(String[]::new));
        List<String> lines = new ArrayList<>();
        shell.err().lines().forEach(lines::add);
        shell.out().lines().forEach(lines::add);
        if (shell.exit() != 0) {
            lines.add("(exit code " + shell.exit() + ")");
        }
        return lines.stream().map(line -> line.replace(directory + "/", "")).toList();
    }

    private static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher found = WORD.matcher(command);
        while (found.find()) {
            words.add(
                    found.group(1) != null ? found.group(1) : found.group(2) != null ? found.group(2) : found.group());
        }
        return words;
    }

    private static void happen(SampleShop shop, String what) {
        switch (what) {
            case "orders" -> shop.withOrders();
            case "parked lane" -> shop.withAParkedLane();
            case "doubtful fax" -> shop.withADoubtfulFax();
            case "lost mails" -> shop.withLostMails(120);
            case "deliver" -> shop.deliver();
            default -> throw new IllegalArgumentException("The page wants \"" + what + "\" to happen.");
        }
    }

    /** Without what differs from run to run; the times of a policy do not. */
    private static List<String> masked(List<String> lines) {
        List<String> masked = new ArrayList<>();
        boolean exact = false;
        for (String line : lines) {
            exact = line.startsWith("$ ") ? line.startsWith("$ semel policy ") : exact && !line.startsWith("```");
            masked.add(exact ? line : masked(line));
        }
        return masked;
    }

    private static String masked(String line) {
        return line.replaceAll("\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z", "TIME")
                .replaceAll("\\b\\d+ (d|h|min|s|ms)\\b( \\d+ (h|min|s)\\b)?", "SPAN")
                .replaceAll("due_in_ms +-?\\d+", "due_in_ms N")
                .replaceAll("network +[0-9a-f]{12}", "network ID")
                .replaceAll("network +240 +\\d+", "network 240 N") // a minute may end meanwhile
                .replaceAll("\\(network, \\d+\\)", "(network, N)")
                .replaceAll("fence +\\d+", "fence N")
                .replaceAll("replay-[0-9]+-[0-9a-f]+", "replay-N")
                .replaceAll(" {2,}", "  ");
    }
}
