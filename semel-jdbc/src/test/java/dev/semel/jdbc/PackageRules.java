package dev.semel.jdbc;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The packages of the module, and what each may know. A new engine is one more line.
 *
 * @param root the package that other modules use; the others are in it
 */
record PackageRules(String root) {
    private static final String FRONT = "";
    private static final String SHARED = "shared";

    /** Which packages of the module a package may use. There is no way back from any of them, so there is no cycle. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            FRONT,
            Set.of(SHARED),
            SHARED,
            Set.of(),
            "postgres",
            Set.of(FRONT, SHARED),
            "sqlite",
            Set.of(FRONT, SHARED));

    /** Drivers and the one package that may use each. */
    private static final Map<String, String> DRIVERS = Map.of(
            "org.postgresql", "postgres",
            "org.sqlite", "sqlite");

    ArchRule everyPackageIsListed() {
        return classes().should(each("be in a package of " + MAY_USE.keySet(), (type, events) -> {
            if (!MAY_USE.containsKey(part(type))) {
                events.add(violated(type, type.getName() + " is in a package that is not listed"));
            }
        }));
    }

    ArchRule packagesUseOnlyWhatTheyMay() {
        return classes().should(each("use only the packages they may", (type, events) -> {
            String own = part(type);
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                boolean mine = isOurs(target) && !part(target).equals(own);
                if (mine && !MAY_USE.getOrDefault(own, Set.of()).contains(part(target))) {
                    events.add(violated(dependency, dependency.getDescription()));
                }
            }
        }));
    }

    ArchRule onlyItsEngineUsesADriver() {
        return classes().should(each("use only the driver of their own engine", (type, events) -> {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String target =
                        dependency.getTargetClass().getBaseComponentType().getPackageName();
                DRIVERS.forEach((driver, engine) -> {
                    boolean used = target.equals(driver) || target.startsWith(driver + ".");
                    if (used && !engine.equals(part(type))) {
                        events.add(violated(dependency, dependency.getDescription()));
                    }
                });
            }
        }));
    }

    static List<String> packages(String root) {
        return MAY_USE.keySet().stream()
                .map(part -> part.isEmpty() ? root : root + "." + part)
                .sorted()
                .toList();
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(root) || type.getPackageName().startsWith(root + ".");
    }

    /** The package behind the root; empty for the root itself. */
    private String part(JavaClass type) {
        return type.getPackageName().equals(root)
                ? FRONT
                : type.getPackageName().substring(root.length() + 1);
    }

    private static ArchCondition<JavaClass> each(String description, BiConsumer<JavaClass, ConditionEvents> check) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                check.accept(type, events);
            }
        };
    }
}
