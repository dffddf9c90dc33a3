package dev.semel.console;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.semel.console.access.Person;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The console leans on the core and the shared parts of HTTP, and its packages point one way. */
class ConsoleArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importUrl(Person.class.getProtectionDomain().getCodeSource().getLocation())
            .that(JavaClass.Predicates.resideInAPackage("dev.semel.console.."));

    @Test
    void consoleDependsOnlyOnCoreHttpAndServletApi() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "jakarta.servlet..",
                        "dev.semel",
                        "dev.semel.audit",
                        "dev.semel.console..",
                        "dev.semel.engine",
                        "dev.semel.execution",
                        "dev.semel.http.shared",
                        "dev.semel.key",
                        "dev.semel.operator",
                        "dev.semel.policy",
                        "dev.semel.store",
                        "dev.semel.time",
                        "dev.semel.worker",
                        "org.jspecify.annotations",
                        "org.slf4j..",
                        "tools.jackson..")
                .check(MODULE);
    }

    @Test
    void consoleUsesNoClockAndNoSql() {
        noClasses().should().callMethod(System.class, "currentTimeMillis").check(MODULE);
        noClasses().should().callMethod(System.class, "nanoTime").check(MODULE);
        noClasses().should().callMethod(Thread.class, "sleep", long.class).check(MODULE);
        noClasses().should().callMethod(Instant.class, "now").check(MODULE);
        noClasses().should().accessClassesThat().resideInAPackage("java.sql").check(MODULE);
    }

    @Test
    void packagesPointOneWay() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.semel.console.access", "dev.semel.console.live", "dev.semel.console.rest")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.semel.console", "dev.semel.console.admin")
                .check(MODULE);
        noClasses()
                .that()
                .resideInAPackage("dev.semel.console.rest")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.semel.console.access")
                .check(MODULE);
        noClasses()
                .that()
                .resideInAPackage("dev.semel.console.admin")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.semel.console")
                .check(MODULE);
    }
}
