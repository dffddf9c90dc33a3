package dev.semel.http;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Instant;
import java.util.List;
import java.util.Timer;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Filter, client and ingress lean on the core alone, read no clock, make no thread, and show little. */
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importUrl(IdempotencyFilter.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation())
            .that(JavaClass.Predicates.resideInAPackage("dev.semel.http.."));

    @Test
    void filterDependsOnlyOnCoreAndServletApi() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.crypto..",
                        "jakarta.servlet..",
                        "dev.semel",
                        "dev.semel.engine",
                        "dev.semel.execution",
                        "dev.semel.http..",
                        "dev.semel.key",
                        "dev.semel.operator",
                        "dev.semel.policy",
                        "dev.semel.time",
                        "org.jspecify.annotations",
                        "org.slf4j..",
                        "tools.jackson..")
                .check(MODULE);
    }

    @Test
    void filterUsesNoClockThreadsOrSql() {
        noClasses().should().callMethod(System.class, "currentTimeMillis").check(MODULE);
        noClasses().should().callMethod(System.class, "nanoTime").check(MODULE);
        noClasses().should().callMethod(Thread.class, "sleep", long.class).check(MODULE);
        noClasses().should().callMethod(Instant.class, "now").check(MODULE);
        noClasses()
                .should()
                .accessClassesThat()
                .belongToAnyOf(Executors.class, Timer.class)
                .check(MODULE);
        noClasses()
                .should()
                .accessClassesThat()
                .resideInAPackage("java.sql")
                .because("a handler's connection is passed through, and nothing is done with it")
                .check(MODULE);
    }

    @Test
    void filterAndIngressDoNotKnowEachOther() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.semel.http.ingress", "dev.semel.http.shared")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.semel.http")
                .check(MODULE);
        noClasses()
                .that()
                .resideInAnyPackage("dev.semel.http", "dev.semel.http.shared")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.semel.http.ingress")
                .check(MODULE);
    }

    private static List<String> publicTypes(String packageName) {
        return MODULE.stream()
                .filter(type -> type.getPackageName().equals(packageName))
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName)
                .sorted()
                .toList();
    }

    @Test
    void publicTypesAreExactlyThese() {
        assertThat(publicTypes("dev.semel.http.ingress"))
                .containsExactly(
                        "EventField",
                        "EventKey",
                        "HmacHeader",
                        "IngressCode",
                        "Webhook",
                        "WebhookCounts",
                        "WebhookSecrets",
                        "WebhookServlet",
                        "WebhookSource");
        assertThat(publicTypes("dev.semel.http"))
                .containsExactly(
                        "ExpectedVersion",
                        "Hooks",
                        "HttpSettings",
                        "IdempotencyFilter",
                        "IdempotentExchange",
                        "KeyScope",
                        "Level",
                        "ProblemCode",
                        "RetryRules",
                        "RetryingClient",
                        "Rule",
                        "VersionMismatch");
    }
}
