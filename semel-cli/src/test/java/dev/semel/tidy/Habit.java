package dev.semel.tidy;

import dev.semel.tidy.SourceTree.Text;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What we keep to everywhere. Words that are looked for are put together here, so that this file does not hold them. */
enum Habit {
    FILES_ARE_SHORT(tree -> tree.where(file -> file.lines().size() > 600)
            .map(file -> file.path() + " has " + file.lines().size() + " lines; at most 600")),

    THE_TYPICAL_FILE_IS_SMALL(Habit::median),

    METHODS_FIT_A_SCREEN(tree -> methods(
            tree,
            method -> method.lines() > 70,
            (at, method) -> at + " " + method.name() + " has " + method.lines() + " lines; at most 70")),

    CONSTRUCTORS_TAKE_SIX_AT_MOST(tree -> methods(
            tree,
            method -> method.constructs() && method.parameters() > 6,
            (at, method) -> at + " " + method.name() + " takes " + method.parameters() + " parameters; at most 6")),

    NAMES_SAY_WHAT_A_TYPE_IS_FOR(Habit::vagueNames),

    NOTHING_IS_LEFT_FOR_LATER(lines(file -> true, "\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b")),

    NO_TEST_IS_SWITCHED_OFF(lines(Text::isJava, "@(Dis" + "abled|Ign" + "ore)\\b")),

    NOTHING_SLEEPS(lines(
            file -> file.isJava() && file.isMain() && !file.folder().endsWith("dev/semel/time"),
            "\\b(Thread|TimeUnit\\.\\w+)\\.sleep\\(")),

    /** A test waits for a condition ({@code Await}). Sleeping is left to the tests in which the passing time is under test. */
    TESTS_AWAIT_CONDITIONS(
            lines(file -> file.isJava() && file.isTest() && !maySleep(file), "\\b(Thread|TimeUnit\\.\\w+)\\.sleep\\(")),

    A_NAME_HAS_ONE_MEANING_IN_A_MODULE(RepeatedNames::faults),

    /** What an application sets is in the root package; the engine's own settings are for tests and authors of stores. */
    APPLICATIONS_SET_SEMEL_AT_THE_FRONT_DOOR(tree -> Stream.concat(
            lines(Habit::isForApplications, "\\bEngine" + "Settings\\b").apply(tree),
            lines(file -> file.path().startsWith("examples/"), "\\bdev\\.semel\\.engine\\b")
                    .apply(tree))),

    EXPORTED_METHODS_ARE_EXPLAINED(Habit::unexplained),

    NO_LOCALE_CHANGES_WHAT_IS_WRITTEN(Habit::localeDependent),

    /** And the scripted conversations of examples, which are command lines of their own. */
    ONLY_THE_COMMAND_LINE_PRINTS(lines(
            file -> file.isJava()
                    && file.isMain()
                    && !file.path().startsWith("semel-cli/")
                    && !file.path().startsWith("semel-demo/")
                    && !file.path().matches("examples/.*/demo/[^/]+"),
            "\\bSystem\\.(out|err|exit|console)\\b")),

    PACKAGES_ARE_INTRODUCED(Habit::packagesWithoutInfo),

    MODULES_HAVE_TESTS(Habit::modulesWithoutTests),

    NO_MACHINE_IS_NAMED(lines(file -> true, "/(ro" + "ot|wo" + "rk|ho" + "me)/")),

    NO_REGISTRY_IS_NAMED(lines(
            file -> true,
            "https?://[\\w.-]*(artifactory|nexus|jfrog|sonatype|registry|repo1?\\.|mirror|packages\\.)[\\w.-]*"
                    + "|https?://[\\w.-]*maven(?!\\.apache\\.org/(POM|xsd|SETTINGS)/)[\\w.-]*")),

    THE_README_IS_SHORT(tree -> Stream.of("README.md")
            .flatMap(path -> tree.file(path)
                    .map(file -> file.lines().size() <= 200
                            ? Stream.<String>empty()
                            : Stream.of(path + " has " + file.lines().size() + " lines; at most 200"))
                    .orElseGet(() -> Stream.of(path + " is missing")))),

    THE_README_AND_CI_TEST_ALIKE(tree -> Stream.of("README.md", ".ci/run")
            .filter(path -> tree.file(path).stream()
                    .flatMap(file -> file.lines().stream())
                    .noneMatch(line -> line.strip().matches("mvn verify( .*)?")))
            .map(path -> path + " does not have the line: mvn verify")),

    THE_CHANGELOG_KEEPS_ITS_HEADINGS(Habit::changelog),

    THE_LICENCE_IS_APACHE_2(tree -> Stream.of(
                    "Apache License", "Version 2.0, January 2004", "END OF TERMS AND CONDITIONS")
            .filter(phrase -> tree.file("LICENSE").stream()
                    .flatMap(file -> file.lines().stream())
                    .noneMatch(line -> line.strip().equals(phrase)))
            .map(phrase -> "LICENSE does not have the line: " + phrase)),

    EACH_SQL_ENGINE_HAS_ITS_SCHEMA(Habit::schemas),

    JAVA_IN_PAGES_COMPILES(tree -> new Snippets(tree).faults().stream());

    private final Function<SourceTree, Stream<String>> check;

    Habit(Function<SourceTree, Stream<String>> check) {
        this.check = check;
    }

    /** Where the habit is broken, in words. */
    List<String> faults(SourceTree tree) {
        return check.apply(tree).sorted().toList();
    }

    /** They measure an engine in which nothing runs by itself, which no application wants. */
    private static final Set<String> WITHOUT_BACKGROUND = Set.of("PostgresCosts.java", "Upkeep.java");

    /** In each of them a comment says why. The planted classes show that the sleep of production code is found. */
    private static boolean maySleep(Text file) {
        return file.path().contains("/architecture/planted/")
                || Set.of("FleetTest.java", "FleetFaultTest.java", "FleetBug.java", "ErrorTest.java")
                        .contains(file.name());
    }

    private static boolean isForApplications(Text file) {
        boolean page = file.isPage() && !file.path().equals("ARCHITECTURE.md");
        return page
                || file.path()
                                .matches(
                                        "(examples|semel-bench|semel-cli|semel-http|semel-spring-boot-starter)/.*/?src/main/.*")
                        && !WITHOUT_BACKGROUND.contains(file.name());
    }

    private static Function<SourceTree, Stream<String>> lines(Predicate<Text> where, String regex) {
        Pattern pattern = Pattern.compile(regex);
        return tree -> tree.where(where).flatMap(file -> {
            List<String> faults = new ArrayList<>();
            for (int i = 0; i < file.lines().size(); i++) {
                Matcher matcher = pattern.matcher(file.lines().get(i));
                if (matcher.find()) {
                    faults.add(file.path() + ":" + (i + 1) + " has " + matcher.group());
                }
            }
            return faults.stream();
        });
    }

    private static Stream<String> methods(
            SourceTree tree, Predicate<JavaShape.Method> wrong, BiFunction<String, JavaShape.Method, String> say) {
        return JavaShape.all(tree).entrySet().stream()
                .flatMap(shape -> shape.getValue().methods().stream()
                        .filter(wrong)
                        .map(method -> say.apply(shape.getKey().path() + ":" + method.line(), method)));
    }

    /**
     * Some locales have digits and cases of their own. Whatever formats by the default locale is a fault, also of text alone: the
     * next argument may be a number.
     */
    private static Stream<String> localeDependent(SourceTree tree) {
        String first = "(?!\\s*Locale\\.ROOT\\b)";
        String anywhere = "(?![^;]*\\bLocale\\.ROOT\\b)";
        Pattern door = Pattern.compile(String.join(
                "|",
                "(\\.|::)formatted\\b",
                "\\bto(Upper|Lower)Case\\(\\s*\\)",
                "::(toUpperCase|toLowerCase|format|printf)\\b",
                "\\bString\\.format\\(" + first,
                "\\.printf\\(" + first,
                "\\.format\\((?=\\s*\")",
                "\\bnew (java\\.util\\.)?Formatter\\(" + anywhere,
                "\\bnew (Decimal|SimpleDate|Message|Choice)Format\\(" + anywhere,
                "\\b(Number|Date|Message|CompactNumber)Format\\.\\w+\\(" + anywhere,
                "\\bDateTimeFormatter\\.of\\w+\\(" + anywhere,
                "\\.toFormatter\\(" + first));
        return tree.where(file -> file.isJava() && file.isMain()).flatMap(file -> {
            String text = String.join("\n", file.lines());
            return door.matcher(text).results().map(found -> {
                long line = 1
                        + text.substring(0, found.start())
                                .chars()
                                .filter(each -> each == '\n')
                                .count();
                return file.path() + ":" + line + " has " + found.group() + " without Locale.ROOT";
            });
        });
    }

    /** Every method of a package that a module exports to everybody has Javadoc; the starter has no module of its own. */
    private static Stream<String> unexplained(SourceTree tree) {
        Set<String> doors = new TreeSet<>(Set.of("semel-spring-boot-starter/src/main/java/dev/semel/spring"));
        Pattern export = Pattern.compile("\\s*exports ([\\w.]+);");
        tree.where(file -> file.isMain() && file.name().equals("module-info.java"))
                .forEach(file -> file.lines().stream()
                        .map(export::matcher)
                        .filter(Matcher::matches)
                        .forEach(found ->
                                doors.add(file.folder() + "/" + found.group(1).replace('.', '/'))));
        return JavaShape.all(tree).entrySet().stream()
                .filter(shape -> doors.contains(shape.getKey().folder()))
                .flatMap(shape -> shape.getValue().methods().stream()
                        .filter(method -> method.shown() && !isExplained(shape.getKey(), method))
                        .map(method ->
                                shape.getKey().path() + ":" + method.line() + " " + method.name() + " has no Javadoc"));
    }

    private static boolean isExplained(Text file, JavaShape.Method method) {
        return method.line() > 1 && file.lines().get(method.line() - 2).strip().endsWith("*/");
    }

    private static Stream<String> vagueNames(SourceTree tree) {
        Pattern vague = Pattern.compile(".*(Utils?|Helpers?|Managers?|V[2-9]|Impl[2-9])");
        return JavaShape.all(tree).entrySet().stream()
                .flatMap(shape -> shape.getValue().types().stream()
                        .filter(type -> vague.matcher(type.name()).matches())
                        .map(type -> shape.getKey().path() + ":" + type.line() + " calls a type " + type.name()));
    }

    private static Stream<String> median(SourceTree tree) {
        List<Integer> sizes = tree.where(Text::isJava)
                .map(file -> file.lines().size())
                .sorted()
                .toList();
        int median = sizes.isEmpty() ? 0 : sizes.get(sizes.size() / 2);
        return median < 120 ? Stream.of() : Stream.of("the median Java file has " + median + " lines; below 120");
    }

    private static Stream<String> packagesWithoutInfo(SourceTree tree) {
        Set<String> packages = new TreeSet<>();
        Set<String> introduced = new TreeSet<>();
        tree.where(file -> file.isJava() && file.isMain() && !file.name().equals("module-info.java"))
                .forEach(file -> {
                    packages.add(file.folder());
                    if (file.name().equals("package-info.java") && file.lines().contains("@NullMarked")) {
                        introduced.add(file.folder());
                    }
                });
        packages.removeAll(introduced);
        return packages.stream().map(folder -> folder + " has no package-info.java with @NullMarked");
    }

    /** Without tests there is no coverage to measure, and the build would not notice. */
    private static Stream<String> modulesWithoutTests(SourceTree tree) {
        return modules(tree, "/src/main/java/").stream()
                .filter(module -> !modules(tree, "/src/test/java/").contains(module))
                .map(module -> module + " has code and no tests");
    }

    private static Collection<String> modules(SourceTree tree, String folder) {
        return tree.where(file -> file.isJava() && file.path().contains(folder))
                .map(file -> file.path().substring(0, file.path().indexOf('/')))
                .collect(TreeSet::new, Set::add, Set::addAll);
    }

    private static Stream<String> changelog(SourceTree tree) {
        List<String> order = List.of("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security");
        List<String> faults = new ArrayList<>();
        boolean first = true;
        int last = -1;
        for (String line : tree.file("CHANGELOG.md").map(Text::lines).orElse(List.of())) {
            if (line.startsWith("## ")) {
                String version = line.substring(3);
                if (!(first
                        ? version.equals("Unreleased")
                        : version.matches("\\d+\\.\\d+\\.\\d+ - \\d{4}-\\d\\d-\\d\\d"))) {
                    faults.add("CHANGELOG.md has the version heading: " + version);
                }
                first = false;
                last = -1;
            } else if (line.startsWith("### ")) {
                int place = order.indexOf(line.substring(4));
                if (place <= last) {
                    faults.add("CHANGELOG.md has the heading " + line.substring(4) + " out of its place in " + order);
                }
                last = place;
            }
        }
        return first ? Stream.of("CHANGELOG.md has no heading: ## Unreleased") : faults.stream();
    }

    private static Stream<String> schemas(SourceTree tree) {
        Map<String, Set<Integer>> versions = new TreeMap<>(Map.of("sqlite", Set.of(), "postgres", Set.of()));
        Pattern script = Pattern.compile("semel-jdbc/src/main/resources/dev/semel/jdbc/(\\w+)/V(\\d+)\\.sql");
        tree.files().stream()
                .map(file -> script.matcher(file.path()))
                .filter(Matcher::matches)
                .forEach(found -> {
                    Set<Integer> one = new TreeSet<>(versions.getOrDefault(found.group(1), Set.of()));
                    one.add(Integer.parseInt(found.group(2)));
                    versions.put(found.group(1), one);
                });
        int newest = versions.values().stream()
                .flatMap(Collection::stream)
                .max(Integer::compare)
                .orElse(1);
        List<String> faults = new ArrayList<>();
        versions.forEach((engine, found) -> {
            for (int version = 1; version <= newest; version++) {
                if (!found.contains(version)) {
                    faults.add(engine + " has no V" + version + ".sql");
                }
            }
        });
        return faults.stream();
    }
}
