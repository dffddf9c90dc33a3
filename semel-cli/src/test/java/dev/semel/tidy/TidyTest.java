package dev.semel.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The repository keeps our habits; and each habit is seen to be broken where it is. */
class TidyTest {
    private static final SourceTree REPOSITORY = SourceTree.here();
    private static final String CODE = "semel-core/src/main/java/dev/semel/";

    /** A file that breaks a habit, and a word of what is said about it. */
    record Planted(Habit habit, String path, String content, String said) {
        @Override
        public String toString() {
            return habit + " in " + path;
        }
    }

    @ParameterizedTest
    @EnumSource
    void repositoryKeepsTheHabit(Habit habit) {
        assertThat(habit.faults(REPOSITORY)).as(habit.name()).isEmpty();
    }

    @Test
    void wholeRepositoryIsRead() {
        assertThat(REPOSITORY.file("pom.xml")).isPresent();
        assertThat(REPOSITORY.file("semel")).isPresent();
        assertThat(REPOSITORY.file(".ci/run")).isPresent();
        assertThat(REPOSITORY.file("semel-core/src/main/java/dev/semel/Semel.java"))
                .isPresent();
        assertThat(REPOSITORY.files()).noneMatch(file -> file.path().contains("/target/"));
    }

    @ParameterizedTest
    @MethodSource("planted")
    void brokenHabitIsFound(Planted planted, @TempDir Path root) throws IOException {
        plantSound(root);
        assertThat(planted.habit().faults(SourceTree.read(root))).isEmpty();
        plant(root, planted.path(), planted.content());
        assertThat(planted.habit().faults(SourceTree.read(root)))
                .isNotEmpty()
                .allSatisfy(fault -> assertThat(fault).contains(planted.said()));
    }

    @Test
    void filesThatAreTypicallyLongAreFound(@TempDir Path root) throws IOException {
        plantSound(root);
        assertThat(Habit.THE_TYPICAL_FILE_IS_SMALL.faults(SourceTree.read(root)))
                .isEmpty();
        for (int i = 0; i < 40; i++) {
            plant(root, CODE + "A" + i + ".java", "\n".repeat(120));
        }
        assertThat(Habit.THE_TYPICAL_FILE_IS_SMALL.faults(SourceTree.read(root)))
                .containsExactly("the median Java file has 120 lines; below 120");
    }

    @Test
    void measuresCountLinesTypesAndNames(@TempDir Path root) throws IOException {
        plant(root, "semel-core/src/main/java/module-info.java", "module dev.semel {\n  exports dev.semel;\n}");
        plant(root, CODE + "A.java", "public interface A {\n  record B() {}\n  void m();\n}");
        plant(root, CODE + "room/B.java", "class B {\n  class C {}\n}");
        plant(root, "semel-core/src/test/java/dev/semel/ATest.java", "class ATest {}");
        assertThat(Measures.of(SourceTree.read(root)))
                .contains("| semel-core | 3 | 10 | 4 | 2 | 50 % | 1 |")
                .contains("Declared more than once in semel-core: B")
                .contains("without Javadoc: 1");
    }

    @Test
    void everyHabitHasSomethingPlanted() {
        Set<Habit> planted = planted().map(Planted::habit).collect(Collectors.toCollection(HashSet::new));
        planted.add(Habit.THE_TYPICAL_FILE_IS_SMALL);
        assertThat(planted).containsOnly(Habit.values());
    }

    static Stream<Planted> planted() {
        return Stream.of(codeThatIsTooLarge(), codeWithWordsInIt(), localeDependent(), pages())
                .flatMap(all -> all);
    }

    private static Stream<Planted> codeThatIsTooLarge() {
        String screen = "int n;\n".repeat(69);
        return Stream.of(
                new Planted(Habit.FILES_ARE_SHORT, "docs/long.md", "x\n".repeat(601), "docs/long.md has 601 lines"),
                new Planted(
                        Habit.METHODS_FIT_A_SCREEN,
                        CODE + "A.java",
                        "class A {\n    void m() {\n" + screen + "}}",
                        "A.java:2 A.m has 71 lines"),
                new Planted(
                        Habit.CONSTRUCTORS_TAKE_SIX_AT_MOST,
                        CODE + "A.java",
                        "class A {\n    A(int a, int b, int c, int d, int e, int f, int g) {}\n}",
                        "A.java:2 A takes 7 parameters"),
                new Planted(
                        Habit.CONSTRUCTORS_TAKE_SIX_AT_MOST,
                        CODE + "A.java",
                        "record A(int a, int b, int c, int d, int e, int f, int g) { static int h; }",
                        "A.java:1 A takes 7 parameters"),
                new Planted(Habit.MODULES_HAVE_TESTS, "semel-new/src/main/java/A.java", "class A {}", "semel-new"));
    }

    private static Stream<Planted> codeWithWordsInIt() {
        return Stream.of(
                vague("KeyUtils"),
                vague("KeyHelper"),
                vague("KeyManager"),
                vague("KeyV2"),
                vague("KeyImpl2"),
                word(Habit.NOTHING_IS_LEFT_FOR_LATER, "// " + "TO" + "DO: more"),
                word(Habit.NOTHING_IS_LEFT_FOR_LATER, "// " + "FIX" + "ME"),
                word(Habit.NO_TEST_IS_SWITCHED_OFF, "@" + "Dis" + "abled(\"flaky\")"),
                word(Habit.NOTHING_SLEEPS, "Thread.sl" + "eep(10);"),
                word(Habit.NOTHING_SLEEPS, "TimeUnit.SECONDS.sl" + "eep(1);"),
                new Planted(
                        Habit.TESTS_AWAIT_CONDITIONS,
                        "semel-core/src/test/java/dev/semel/ATest.java",
                        "class ATest {\n  void m() { Thread.sl" + "eep(10); }\n}",
                        "ATest.java:2 has "),
                repeated("Sound"),
                repeated("Conflict"),
                word(Habit.ONLY_THE_COMMAND_LINE_PRINTS, "System.out.println(x);"),
                word(Habit.ONLY_THE_COMMAND_LINE_PRINTS, "System.exit(1);"),
                word(Habit.NO_MACHINE_IS_NAMED, "\"/" + "home/" + "me/x\""),
                word(Habit.NO_REGISTRY_IS_NAMED, "\"https://" + "nexus.corp.example/x\""),
                word(Habit.NO_REGISTRY_IS_NAMED, "\"https://" + "repo.maven.apache.org/maven2\""),
                new Planted(
                        Habit.EXPORTED_METHODS_ARE_EXPLAINED,
                        CODE + "A.java",
                        "public interface A {\n  void m();\n}",
                        "A.java:2 A.m has no Javadoc"),
                new Planted(
                        Habit.EXPORTED_METHODS_ARE_EXPLAINED,
                        CODE + "A.java",
                        "public interface A {\n  record B(int n) {\n    @Nullable\n    public String m() { return \"\"; }\n  }\n}",
                        "A.java:3 B.m has no Javadoc"),
                new Planted(
                        Habit.EXPORTED_METHODS_ARE_EXPLAINED,
                        CODE + "time/A.java",
                        "public interface A {\n  void m();\n}",
                        "time/A.java:2 A.m has no Javadoc"),
                new Planted(Habit.PACKAGES_ARE_INTRODUCED, CODE + "room/A.java", "class A {}", "dev/semel/room"),
                new Planted(
                        Habit.PACKAGES_ARE_INTRODUCED,
                        CODE + "package-info.java",
                        "package dev.semel;",
                        "@NullMarked"));
    }

    private static Stream<Planted> localeDependent() {
        return Stream.of(
                        "\"lock(%d)\".formatted(7);",
                        "\"lock %s\".formatted(name);",
                        "names.map(String::formatted);",
                        "String.format(\"lock(%s)\", 7);",
                        "String.format(row, 7);",
                        "String.format(Locale.getDefault(), row, 7);",
                        "names.map(String::format);",
                        "out.printf(\"%s\", 7);",
                        "out.printf(row, 7);",
                        "out.format(\"%d\", 7);",
                        "new Formatter(text).format(row, 7);",
                        "new DecimalFormat(\"0.0\").format(7);",
                        "NumberFormat.getInstance().format(7);",
                        "MessageFormat.format(row, 7);",
                        "new SimpleDateFormat(\"uuuu\").format(day);",
                        "DateTimeFormatter.ofPattern(\"uuuu\").format(day);",
                        "builder.appendPattern(\"uuuu\").toFormatter();",
                        "name.toUpperCase();",
                        "name.toLowerCase();",
                        "names.map(String::toLowerCase);")
                .map(line -> word(Habit.NO_LOCALE_CHANGES_WHAT_IS_WRITTEN, line));
    }

    private static Stream<Planted> pages() {
        String marked = "<!-- snippet: " + CODE + "Sound.java#%s -->\n```java\n%s\n```\n";
        return Stream.of(
                new Planted(Habit.THE_README_IS_SHORT, "README.md", "x\n".repeat(201), "201 lines"),
                settings("docs/a.md", "EngineSettings.at(url)"),
                settings("semel-cli/src/main/java/A.java", "import dev.semel.engine.EngineSettings;"),
                settings("examples/shop/src/main/java/A.java", "EngineSettings.at(url)"),
                settings("examples/shop/src/test/java/A.java", "import dev.semel.engine.Engine;"),
                new Planted(Habit.THE_README_AND_CI_TEST_ALIKE, "README.md", "mvn test", "README.md"),
                new Planted(Habit.THE_README_AND_CI_TEST_ALIKE, ".ci/run", "mvn test", ".ci/run"),
                new Planted(Habit.THE_CHANGELOG_KEEPS_ITS_HEADINGS, "CHANGELOG.md", "# Changelog\n", "Unreleased"),
                new Planted(
                        Habit.THE_CHANGELOG_KEEPS_ITS_HEADINGS, "CHANGELOG.md", "## Unreleased\n### News\n", "News"),
                new Planted(
                        Habit.THE_CHANGELOG_KEEPS_ITS_HEADINGS,
                        "CHANGELOG.md",
                        "## Unreleased\n### Fixed\n### Added\n",
                        "Added out of its place"),
                new Planted(
                        Habit.THE_CHANGELOG_KEEPS_ITS_HEADINGS,
                        "CHANGELOG.md",
                        "## Unreleased\n### Added\n## soon\n",
                        "soon"),
                new Planted(Habit.THE_LICENCE_IS_APACHE_2, "LICENSE", "MIT License\n", "LICENSE does not have"),
                new Planted(
                        Habit.EACH_SQL_ENGINE_HAS_ITS_SCHEMA,
                        "semel-jdbc/src/main/resources/dev/semel/jdbc/sqlite/V2.sql",
                        "alter table t;",
                        "postgres has no V2.sql"),
                new Planted(
                        Habit.JAVA_IN_PAGES_COMPILES, "docs/a.md", "text\n```java\nint n;\n```\n", "a.md:2 shows Java"),
                new Planted(
                        Habit.JAVA_IN_PAGES_COMPILES,
                        "docs/a.md",
                        marked.formatted("first", "int m;"),
                        "a.md:1 differs"),
                new Planted(
                        Habit.JAVA_IN_PAGES_COMPILES,
                        "docs/a.md",
                        marked.formatted("second", "int n;"),
                        "which does not exist"),
                new Planted(
                        Habit.JAVA_IN_PAGES_COMPILES,
                        "docs/a.md",
                        "<!-- file: A.java, run by " + CODE + "Sound.java -->\n```java\nint n;\n```\n",
                        "does not name both"),
                new Planted(
                        Habit.JAVA_IN_PAGES_COMPILES,
                        "docs/a.md",
                        "<!-- snippet: " + CODE + "Sound.java#first -->\n\n",
                        "no ```java follows"));
    }

    private static Planted settings(String path, String line) {
        return new Planted(Habit.APPLICATIONS_SET_SEMEL_AT_THE_FRONT_DOOR, path, line, path + ":1 has ");
    }

    private static Planted vague(String name) {
        return new Planted(
                Habit.NAMES_SAY_WHAT_A_TYPE_IS_FOR,
                CODE + "A.java",
                "class A {\n  enum " + name + " {}\n}",
                "A.java:2");
    }

    private static Planted repeated(String name) {
        return new Planted(
                Habit.A_NAME_HAS_ONE_MEANING_IN_A_MODULE,
                CODE + "A.java",
                "class A {\n  record " + name + "() {}\n}",
                "semel-core uses the name " + name + " more than once: " + CODE + "A.java:2");
    }

    private static Planted word(Habit habit, String line) {
        return new Planted(habit, CODE + "A.java", "class A {\n" + line + "\n}", "A.java:2 has ");
    }

    /** A small repository in which every habit is kept, some of them narrowly. */
    private static void plantSound(Path root) throws IOException {
        plant(
                root,
                "semel-core/src/main/java/module-info.java",
                "module dev.semel {\n  exports dev.semel;\n  exports dev.semel.time;\n"
                        + "  exports dev.semel.engine to\n      dev.semel.http;\n}");
        plant(root, CODE + "engine/package-info.java", "@NullMarked\npackage dev.semel.engine;");
        plant(root, CODE + "engine/Runner.java", "public interface Runner {\n  void m();\n}");
        plant(root, CODE + "package-info.java", "@NullMarked\npackage dev.semel;");
        plant(root, CODE + "time/package-info.java", "@NullMarked\npackage dev.semel.time;");
        plant(root, CODE + "time/Clock.java", "class Clock { void sleep() { Thread.sl" + "eep(1); } }");
        plant(root, CODE + "Answer.java", "interface Answer { record Conflict() {} }");
        plant(root, CODE + "Sent.java", "interface Sent { record Conflict() {} }");
        plant(
                root,
                CODE + "Explained.java",
                "public interface Explained {\n  /** Does it. */\n  void m();\n  private void p() {}\n}\n"
                        + "class Hidden { public void m() {}\n  interface Inner { void n(); } }");
        plant(
                root,
                CODE + "Overriding.java",
                "public final class Overriding {\n  @Override\n  public String toString() { return \"\"; }\n  void seen() {}\n}");
        plant(
                root,
                CODE + "Written.java",
                "class Written { void m() { String.format(\n  Locale.ROOT, \"%d\", 7); out.printf(Locale.ROOT, row, 7);\n"
                        + "DateTimeFormatter.ofPattern(\"uuuu\", Locale.ROOT).format(day); name.toUpperCase(Locale.ROOT); } }");
        plant(
                root,
                CODE + "Sound.java",
                "record Sound(int a, int b, int c, int d, int e, int f) {\n    static int g;\n    // region first\n"
                        + "    int n() {\n        return 1;\n    }\n    // endregion\n}");
        plant(
                root,
                "semel-core/src/test/java/dev/semel/SoundTest.java",
                "class SoundTest { static class Sound {} void m() { clock.sleep(1); } }");
        plant(root, "semel-core/target/Old.java", "class OldUtils {}");
        plant(
                root,
                "README.md",
                "mvn verify\n<!-- snippet: " + CODE
                        + "Sound.java#first -->\n```java\nint n() {\n    return 1;\n}\n```\n");
        plant(root, ".ci/run", "mvn verify\n");
        plant(root, "CHANGELOG.md", "## Unreleased\n### Added\n### Fixed\n## 1.0.0 - 2026-01-01\n### Added\n");
        plant(root, "pom.xml", "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"/>");
        plant(root, "semel-jdbc/src/main/resources/dev/semel/jdbc/sqlite/V1.sql", "create table t;");
        plant(root, "semel-jdbc/src/main/resources/dev/semel/jdbc/postgres/V1.sql", "create table t;");
        plant(root, "LICENSE", "Apache License\nVersion 2.0, January 2004\nEND OF TERMS AND CONDITIONS\n");
    }

    private static void plant(Path root, String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
