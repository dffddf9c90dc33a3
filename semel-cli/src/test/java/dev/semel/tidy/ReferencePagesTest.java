package dev.semel.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import dev.semel.audit.EventType;
import dev.semel.http.ProblemCode;
import dev.semel.http.ingress.IngressCode;
import dev.semel.policy.Catalogue;
import dev.semel.policy.Classifier;
import dev.semel.store.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages on behaviour say what is so: the scenarios agree with the tests, the tables of the contract with the code. */
class ReferencePagesTest {
    private static final SourceTree REPOSITORY = SourceTree.here();
    private static final String CONTRACT = "docs/contract.md";
    private static final PageTables TABLES =
            new PageTables(REPOSITORY.file(CONTRACT).orElseThrow());
    private static final String TESTS = "semel-core/src/test/java/dev/semel/";
    private static final String HEAD = "| code | goes wrong | promised | tests |\n|---|---|---|---|\n";

    @Test
    void scenariosAgreeWithTheTests() {
        assertThat(new ScenarioPage(REPOSITORY).faults()).isEmpty();
    }

    @Test
    void testClassesThatThePagesNameExist() {
        ScenarioPage page = new ScenarioPage(REPOSITORY);
        assertThat(page.missingClasses(CONTRACT)).isEmpty();
        assertThat(page.missingClasses(ScenarioPage.PATH)).isEmpty();
    }

    @Test
    void linksOfThePagesLeadSomewhere() {
        assertThat(new PageLinks(REPOSITORY).faults()).isEmpty();
    }

    /** What a page of scenarios says, what is wrong with it, and a word of what is said about that. */
    record Wrong(String page, String said) {
        @Override
        public String toString() {
            return said;
        }
    }

    static Stream<Wrong> wrongPages() {
        String good = "| A1 | x | y | `OneTest` |\n| B2 | x | y | `TwoSuite` |\n";
        return Stream.of(
                new Wrong(HEAD + "| A1 | x | y | `OneTest` |\n", "has no row for B2"),
                new Wrong(HEAD + good + "| C3 | x | y | `OneTest` |\n", ":5 has C3, but no test is named c3_"),
                new Wrong(HEAD + good.replace("OneTest", "GoneTest"), "names GoneTest for A1, which does not exist"),
                new Wrong(
                        HEAD + good.replace("OneTest", "TwoSuite"),
                        "names TwoSuite for A1, which has no test named a1_"),
                new Wrong(HEAD + good.replace("`OneTest`", "none"), "names no test class for A1"),
                new Wrong(HEAD + good.replace("| x | y | `OneTest`", "| | y | `OneTest`"), "empty or missing cells"),
                new Wrong(HEAD + good + "| A1 | x | y | `OneTest` |\n", "has A1 a second time"),
                new Wrong(
                        HEAD + "| A1 | x | y | `OneTest` |\n" + ScenarioPage.WITHOUT_A_TEST + "\n| B2, G1 | x | y |\n",
                        "lists B2 without a test, but [TwoSuite] has tests named b2_"));
    }

    @ParameterizedTest
    @MethodSource("wrongPages")
    void pageThatDoesNotAgreeIsFound(Wrong wrong, @TempDir Path root) throws IOException {
        plantTests(root);
        plant(root, ScenarioPage.PATH, wrong.page);
        assertThat(new ScenarioPage(SourceTree.read(root)).faults())
                .isNotEmpty()
                .anySatisfy(fault -> assertThat(fault).contains(wrong.said));
    }

    @Test
    void pageThatAgreesHasNoFault(@TempDir Path root) throws IOException {
        plantTests(root);
        plant(
                root,
                ScenarioPage.PATH,
                HEAD + "| A1 | x | y | `OneTest` |\n| B2 | x | y | `TwoSuite` |\n" + ScenarioPage.WITHOUT_A_TEST
                        + "\n| G1, G2 | x | y |\n");
        assertThat(new ScenarioPage(SourceTree.read(root)).faults()).isEmpty();
        assertThat(new ScenarioPage(SourceTree.read(root)).missingClasses(ScenarioPage.PATH))
                .isEmpty();
    }

    @Test
    void missingPageIsFound(@TempDir Path root) throws IOException {
        plantTests(root);
        assertThat(new ScenarioPage(SourceTree.read(root)).faults()).containsExactly("docs/scenarios.md is missing");
    }

    @Test
    void classThatDoesNotExistIsFound(@TempDir Path root) throws IOException {
        plant(root, CONTRACT, "see `GoneTest`");
        assertThat(new ScenarioPage(SourceTree.read(root)).missingClasses(CONTRACT))
                .containsExactly("docs/contract.md names GoneTest, which does not exist");
    }

    @Test
    void linkThatLeadsNowhereIsFound(@TempDir Path root) throws IOException {
        plant(
                root,
                "docs/a.md",
                "# One, and `two`\n[good](b.md#there) [good](#one-and-two) [good](..)\n[x](https://e.org/x)");
        plant(root, "docs/b.md", "## There\n```\n[shown](no.md)\n```\n[bad](no.md) [bad](a.md#no) [bad](#no)");
        assertThat(new PageLinks(SourceTree.read(root)).faults())
                .containsExactly(
                        "docs/b.md:5 links to no.md, which does not exist",
                        "docs/b.md:5 links to a.md#no, which does not exist",
                        "docs/b.md:5 links to #no, which does not exist");
    }

    @Test
    void contractHasEveryAnswer() {
        List<String> answers = TABLES.below("## Answers to a call", 5).stream()
                .skip(1)
                .map(row -> row.get(1))
                .toList();
        assertThat(answers)
                .containsExactlyInAnyOrderElementsOf(Stream.of(Answer.class.getPermittedSubclasses())
                        .map(Class::getSimpleName)
                        .toList());
    }

    @Test
    void contractHasEveryState() {
        assertThat(TABLES.byName("## States", 3, row -> row).keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(State.values()).map(Enum::name).toList());
    }

    @Test
    void contractHasEveryCategory() {
        assertThat(TABLES.byName("### What kind of failure", 4, row -> row.subList(1, 4)))
                .isEqualTo(by(
                        Stream.of(Category.values()),
                        Category::code,
                        category -> Stream.of(category.retried(), category.stored(), category.indeterminate())
                                .map(is -> is ? "yes" : "no")
                                .toList()));
    }

    @Test
    void contractHasTheCategoriesOfHttpStatuses() {
        TABLES.below("### What kind of failure", 2)
                .forEach(row -> Stream.of(row.get(0).split("\\D+"))
                        .filter(status -> status.length() == 3)
                        .forEach(status -> assertThat(
                                        Classifier.ofHttpStatus(Integer.parseInt(status), null, Instant.EPOCH)
                                                .category()
                                                .code())
                                .as(status)
                                .isEqualTo(PageTables.quoted(row.get(1)).get(0))));
    }

    @Test
    void contractHasEveryPolicy() {
        Catalogue shipped = Catalogue.shipped();
        assertThat(TABLES.byName("## The catalogue", 8, row -> String.join("|", row.subList(1, 8))))
                .isEqualTo(by(shipped.names().stream().map(shipped::get), Policy::name, ReferencePagesTest::shown));
    }

    private static String shown(Policy policy) {
        Backoff backoff = policy.retry().backoff();
        String delays = "none";
        String cap = "";
        if (backoff instanceof Backoff.Listed listed) {
            delays = listed.delays().stream().map(ReferencePagesTest::shown).collect(Collectors.joining(", "));
        } else if (backoff instanceof Backoff.Exponential grows) {
            delays = "exp " + shown(grows.base()) + " x" + (int) grows.multiplier();
            cap = shown(grows.cap());
        }
        return String.join(
                "|",
                String.valueOf(policy.retry().maxAttempts()),
                delays,
                cap,
                shown(policy.retry().jitter()),
                shown(policy.limits().attemptTimeout()),
                shown(policy.limits().lease()),
                "`" + className(policy.retention()) + "`");
    }

    private static String shown(Jitter jitter) {
        if (jitter instanceof Jitter.Bounded bounded) {
            return "bounded " + bounded.fraction();
        }
        return jitter instanceof Jitter.Full ? "full" : "none";
    }

    private static String shown(Duration duration) {
        return duration.toMillisPart() > 0 ? duration.toMillis() + " ms" : duration.toSeconds() + " s";
    }

    private static String className(Policy.Retention retention) {
        return Policy.Retention.classes().entrySet().stream()
                .filter(each -> each.getValue().equals(retention))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void contractHasEveryRetentionClass() {
        assertThat(TABLES.byName("## Retention", 3, row -> row.subList(1, 3)))
                .isEqualTo(by(
                        Policy.Retention.classes().entrySet().stream(),
                        Map.Entry::getKey,
                        each -> List.of(
                                kept(each.getValue().success()),
                                kept(each.getValue().failure()))));
    }

    private static String kept(Duration time) {
        if (time.toDays() > 1) {
            return time.toDays() + " d";
        }
        return time.toHours() > 0 ? time.toHours() + " h" : time.toMinutes() + " min";
    }

    @Test
    void contractHasEveryAuditEvent() {
        assertThat(TABLES.byName("## Audit", 2, row -> row).keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(EventType.values()).map(EventType::publicName).toList());
    }

    @Test
    void contractHasEveryHttpCode() {
        assertThat(TABLES.byName(
                        "## HTTP", 3, row -> Integer.parseInt(row.get(1).substring(0, 3))))
                .isEqualTo(by(Stream.of(ProblemCode.values()), ProblemCode::code, ProblemCode::status));
    }

    @Test
    void webhooksPageHasEveryCode() {
        PageTables page = new PageTables(REPOSITORY.file("docs/webhooks.md").orElseThrow());
        assertThat(page.byName("## Codes", 3, row -> Integer.parseInt(row.get(1).substring(0, 3))))
                .isEqualTo(by(Stream.of(IngressCode.values()), IngressCode::code, IngressCode::status));
    }

    /** In the modules that people depend on; what a launcher or a benchmark tells itself is nobody's setting. */
    @Test
    void configurationPageNamesEveryVariableThatIsRead() {
        Pattern read = Pattern.compile("getenv\\(\"(\\w+)\"\\)|\\$\\{env:(\\w+)}|getProperty\\(\"(semel\\.[\\w.]+)\"");
        Set<String> names = new TreeSet<>();
        REPOSITORY
                .where(file -> file.isJava()
                        && file.path().matches("semel-(core|jdbc|http|spring-boot-starter|cli)/src/main/.*"))
                .forEach(file -> read.matcher(file.content())
                        .results()
                        .forEach(found -> names.add(IntStream.rangeClosed(1, 3)
                                .mapToObj(found::group)
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElseThrow())));
        assertThat(names).contains("SEMEL_MODE", "SEMEL_STORE");
        String page = REPOSITORY.file("docs/configuration.md").orElseThrow().content();
        assertThat(names).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    private static <T, V> Map<String, V> by(Stream<T> all, Function<T, String> name, Function<T, V> value) {
        Map<String, V> named = new TreeMap<>();
        all.forEach(each -> named.put(name.apply(each), value.apply(each)));
        return named;
    }

    private static void plantTests(Path root) throws IOException {
        plant(root, TESTS + "OneTest.java", "class OneTest { void a1_itHolds() {} void other() {} }");
        plant(root, "semel-testkit/src/main/java/TwoSuite.java", "class TwoSuite { class In { void b2_a1() {} } }");
        plant(root, "semel-core/target/OldTest.java", "class OldTest { void d4_x() {} }");
    }

    private static void plant(Path root, String path, String content) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
