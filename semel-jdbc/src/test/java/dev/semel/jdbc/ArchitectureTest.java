package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Engines know nothing of each other; and each rule finds the violations that were planted for it. */
class ArchitectureTest {
    private static final String ROOT = "dev.semel.jdbc";
    private static final String PLANTED = "dev.semel.jdbc.planted";

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(PLANTED);

    record Rule(String name, Function<PackageRules, ArchRule> rule, List<String> planted) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Each with the classes or methods of the fixture that break it, and no others. */
    static Stream<Rule> rules() {
        return Stream.of(
                new Rule("every package is listed", PackageRules::everyPackageIsListed, List.of("attic.Trunk")),
                new Rule(
                        "packages use only what they may",
                        PackageRules::packagesUseOnlyWhatTheyMay,
                        List.of(
                                "Front.engine",
                                "shared.Rule.front",
                                "shared.Rule.engine",
                                "postgres.Claim.otherEngine")),
                new Rule(
                        "only its engine uses a driver",
                        PackageRules::onlyItsEngineUsesADriver,
                        List.of("shared.Rule.driver", "postgres.Claim.otherDriver")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void moduleKeepsTheRule(Rule rule) {
        assertThat(violations(rule.rule().apply(new PackageRules(ROOT)), MODULE))
                .as(rule.name())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void ruleFindsEachPlantedViolation(Rule rule) {
        Pattern origin = Pattern.compile(Pattern.quote(PLANTED + ".") + "([\\w.]+)");
        List<String> found = violations(rule.rule().apply(new PackageRules(PLANTED)), FIXTURE).stream()
                .map(origin::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .distinct()
                .toList();
        assertThat(found).as(rule.name()).containsExactlyInAnyOrderElementsOf(rule.planted());
    }

    @Test
    void everyListedPackageIsRead() {
        assertThat(MODULE.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrderElementsOf(PackageRules.packages(ROOT));
        assertThat(MODULE.contain(ArchitectureTest.class)).isFalse();
    }

    @Test
    void onlyTypesThatOthersNeedArePublic() {
        assertThat(shown(ROOT)).containsExactly("ApplicationStore", "Demarcation", "JdbcStoreProvider");
        // Their names are given as text: to ServiceLoader, and to the driver.
        assertThat(shown(ROOT + ".postgres")).containsExactly("PostgresProvider", "PostgresSockets");
        assertThat(shown(ROOT + ".sqlite")).containsExactly("SqliteProvider");
    }

    private static List<String> shown(String in) {
        return MODULE.stream()
                .filter(type -> type.getPackageName().equals(in))
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName)
                .filter(name -> !name.equals("package-info"))
                .sorted()
                .toList();
    }

    private static List<String> violations(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }
}
