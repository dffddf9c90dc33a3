package dev.semel.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Planted changes of an API: breaks are found, additions pass. */
class ApiBreakTest {
    @TempDir
    private static Path directory;

    private static final List<Change> ALL =
            Stream.concat(breaking(), compatible()).toList();

    /**
     * @param broken the name that is reported; empty when the change does no harm
     * @param before the types of a package of its own
     */
    record Change(String name, String broken, String before, String after) {
        String home() {
            return "planted." + name.replaceAll("\\W", "_");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Change> breaking() {
        return Stream.concat(breakingMethods(), breakingTypes());
    }

    private static Stream<Change> breakingMethods() {
        return Stream.of(
                new Change("type removed", "A", "public class A {} ", ""),
                new Change("type hidden", "A", "public class A {}", "class A {}"),
                new Change("method removed", "A.b", "public class A { public void b() {} }", "public class A {}"),
                new Change(
                        "method hidden",
                        "A.b",
                        "public class A { public void b() {} }",
                        "public class A { protected void b() {} }"),
                new Change(
                        "result changed",
                        "A.b",
                        "public class A { public int b() { return 1; } }",
                        "public class A { public long b() { return 1; } }"),
                new Change(
                        "type argument changed",
                        "A.b",
                        "public interface A { java.util.List<String> b(); }",
                        "public interface A { java.util.List<Object> b(); }"),
                new Change(
                        "parameter changed",
                        "A.b",
                        "public class A { public void b(String c) {} }",
                        "public class A { public void b(Object c) {} }"),
                new Change(
                        "checked exception added",
                        "A.b",
                        "public class A { public void b() {} }",
                        "public class A { public void b() throws Exception {} }"),
                new Change(
                        "method made static",
                        "A.b",
                        "public class A { public void b() {} }",
                        "public class A { public static void b() {} }"),
                new Change(
                        "method made final",
                        "A.b",
                        "public class A { public void b() {} }",
                        "public class A { public final void b() {} }"));
    }

    private static Stream<Change> breakingTypes() {
        return Stream.of(
                new Change("class made final", "A", "public class A {}", "public final class A {}"),
                new Change("class made abstract", "A", "public class A {}", "public abstract class A {}"),
                new Change(
                        "constructor removed",
                        "A.new",
                        "public class A { public A(int b) {} }",
                        "public class A { public A(long b) {} }"),
                new Change(
                        "answer added to a sealed type",
                        "A",
                        "public sealed interface A { record B() implements A {} }",
                        "public sealed interface A { record B() implements A {} record C() implements A {} }"),
                new Change(
                        "component added to a record",
                        "A.new",
                        "public record A(int b) {}",
                        "public record A(int b, int c) {}"),
                new Change("constant of an enum removed", "A.C", "public enum A { B, C }", "public enum A { B }"),
                new Change(
                        "value of a constant changed",
                        "A.B",
                        "public class A { public static final int B = 1; }",
                        "public class A { public static final int B = 2; }"),
                new Change(
                        "interface no longer implemented",
                        "A.Runnable",
                        "public abstract class A implements Runnable {}",
                        "public abstract class A { }"),
                new Change(
                        "method added that users must implement",
                        "A.c",
                        "public interface A { void b(); }",
                        "public interface A { void b(); void c(); }"),
                new Change(
                        "default of a method removed",
                        "A.b",
                        "public interface A { default void b() {} }",
                        "public interface A { void b(); }"),
                new Change(
                        "element without a default added to an annotation",
                        "A.c",
                        "public @interface A { int b(); }",
                        "public @interface A { int b(); int c(); }"),
                new Change(
                        "method of a hidden superclass removed",
                        "A.b",
                        "class S { public void b() {} } public class A extends S {}",
                        "class S {} public class A extends S {}"));
    }

    static Stream<Change> compatible() {
        return Stream.of(
                new Change("type added", "", "public class A {}", "public class A { public interface B {} }"),
                new Change(
                        "method added",
                        "",
                        "public class A {}",
                        "public class A { public void b() {} public static void c() {} }"),
                new Change(
                        "overload added",
                        "",
                        "public class A { public void b() {} }",
                        "public class A { public void b() {} public void b(int c) {} }"),
                new Change(
                        "default method added",
                        "",
                        "public interface A { void b(); }",
                        "public interface A { void b(); default void c() {} }"),
                new Change(
                        "method given a default",
                        "",
                        "public interface A { void b(); }",
                        "public interface A { default void b() {} }"),
                new Change("constant of an enum added", "", "public enum A { B }", "public enum A { B, C }"),
                new Change("class no longer final", "", "public final class A {}", "public class A {}"),
                new Change(
                        "method made public",
                        "",
                        "public class A { protected void b() {} }",
                        "public class A { public void b() {} }"),
                new Change(
                        "element with a default added to an annotation",
                        "",
                        "public @interface A { int b(); }",
                        "public @interface A { int b(); int c() default 1; }"),
                new Change(
                        "method of a hidden superclass pulled down",
                        "",
                        "class S { public void b() {} } public class A extends S {}",
                        "class S {} public class A extends S { public void b() {} }"),
                new Change(
                        "private parts changed",
                        "",
                        "public class A { private int b; void c() {} }",
                        "public class A { private long b; }"));
    }

    @BeforeAll
    static void compile() throws IOException {
        compile("before", Change::before);
        compile("after", Change::after);
    }

    private static void compile(String side, java.util.function.Function<Change, String> source) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("-proc:none", "-d", directory.resolve(side).toString()));
        for (Change change : ALL) {
            Path file = directory
                    .resolve("sources")
                    .resolve(side)
                    .resolve(change.home().replace('.', '/') + "/A.java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, "package " + change.home() + "; " + source.apply(change) + " interface Other {}");
            command.add(file.toString());
        }
        assertThat(Javac.run(command)).isEmpty();
    }

    private static List<ApiBreak> breaks(Change change, Set<String> implementedBySemel) {
        return ApiBreak.between(
                ApiListing.of(directory.resolve("before"), change.home()),
                ApiListing.of(directory.resolve("after"), change.home()),
                implementedBySemel);
    }

    @ParameterizedTest
    @MethodSource("breaking")
    void breakIsReportedByName(Change change) {
        assertThat(breaks(change, Set.of())).extracting(ApiBreak::name).contains(change.broken());
    }

    @ParameterizedTest
    @MethodSource("compatible")
    void compatibleChangePasses(Change change) {
        assertThat(breaks(change, Set.of())).isEmpty();
    }

    @Test
    void methodsMayBeAddedToInterfacesThatOnlySemelImplements() {
        Change added = breaking()
                .filter(change ->
                        change.broken().equals("A.c") && change.after().contains("void c()"))
                .findFirst()
                .orElseThrow();
        assertThat(breaks(added, Set.of(added.home() + ".A"))).isEmpty();
    }

    @Test
    void breakIsAnnouncedUnderChangedOrRemovedOfTheNextVersionOnly() {
        Change removed = breaking()
                .filter(change -> change.name().equals("method removed"))
                .findFirst()
                .orElseThrow();
        ApiBreak change = breaks(removed, Set.of()).get(0);
        assertThat(announces("### Changed", "- `A.b()` is `A.c()`.", change)).isTrue();
        assertThat(announces("### Removed", "- `A.b`: use something else.", change))
                .isTrue();
        assertThat(announces("### Added", "- `A.b`.", change)).isFalse();
        assertThat(announces("### Changed", "- `A` and `b` and A.b.", change)).isFalse();
        assertThat(announces("## 0.1.0 - 2026-11-01\n### Changed", "- `A.b`.", change))
                .isFalse();
    }

    private static boolean announces(String heading, String entry, ApiBreak change) {
        return new Announcements(List.of(("## Unreleased\n" + heading + "\n" + entry).split("\n"))).tell(change);
    }
}
