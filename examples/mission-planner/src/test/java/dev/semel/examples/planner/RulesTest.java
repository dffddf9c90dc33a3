package dev.semel.examples.planner;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.semel.Policy;
import dev.semel.policy.Catalogue;
import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;

/** What the planner's own code never does. */
class RulesTest {
    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.semel.examples.planner");
    private static final Pattern STATEMENT = Pattern.compile("^(SELECT|INSERT|UPDATE|DELETE)\\b");
    private static final Pattern WRITTEN = Pattern.compile("^(?:INSERT INTO|UPDATE|DELETE FROM) (\\w+)");

    @Test
    void readersDoNotCallWriters() {
        methods()
                .that()
                .areAnnotatedWith(GetMapping.class)
                .should(new ArchCondition<JavaMethod>("call nothing that is transactional") {
                    @Override
                    public void check(JavaMethod method, ConditionEvents events) {
                        method.getCallsFromSelf().stream()
                                .filter(call -> call.getTarget()
                                        .resolveMember()
                                        .filter(target -> target.isAnnotatedWith(Transactional.class))
                                        .isPresent())
                                .forEach(call ->
                                        events.add(SimpleConditionEvent.violated(method, call.getDescription())));
                    }
                })
                .check(CODE);
    }

    @Test
    void everyStatementIsForOneOrganisation() throws ReflectiveOperationException {
        Map<String, String> statements = statements();
        // Which organisation it is: that is what the token is asked for.
        assertThat(statements.remove("Tokens.FIND")).isNotNull();
        assertThat(statements).hasSizeGreaterThan(20).allSatisfy((name, sql) -> {
            assertThat(sql).as(name).contains(":organisation");
            if (!sql.startsWith("INSERT")) {
                assertThat(sql).as(name).containsPattern("WHERE organisation = :organisation");
            }
        });
    }

    @Test
    void serviceWritesOneKindOfAggregate() throws ReflectiveOperationException {
        Map<String, Set<String>> written = new TreeMap<>();
        statements().forEach((name, sql) -> {
            Matcher matcher = WRITTEN.matcher(sql);
            if (matcher.find()) {
                written.computeIfAbsent(name.substring(0, name.indexOf('.')), any -> new TreeSet<>())
                        .add(matcher.group(1));
            }
        });
        assertThat(written)
                .containsEntry("Projects", Set.of("project"))
                .containsEntry("Missions", Set.of("mission"))
                .containsEntry("Assignments", Set.of("assignment"))
                .containsEntry("Briefings", Set.of("briefing"))
                .allSatisfy((service, tables) -> assertThat(tables).as(service).hasSize(1));
    }

    /** The SQL of all classes, by class and constant. */
    private static Map<String, String> statements() throws ReflectiveOperationException {
        Map<String, String> statements = new TreeMap<>();
        for (JavaClass type : CODE) {
            for (JavaField constant : type.getFields()) {
                if (!constant.getRawType().isEquivalentTo(String.class)) {
                    continue;
                }
                Field field = constant.reflect();
                if (java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    String text = String.valueOf(field.get(null));
                    if (STATEMENT.matcher(text).find()) {
                        statements.put(type.getSimpleName() + "." + constant.getName(), text);
                    }
                }
            }
        }
        return statements;
    }

    @Test
    void jobIsTriedFiveTimesWithPausesThatGrowFromASecond() throws IOException {
        Policy jobs = Catalogue.shipped().withProperties(settings()).get("jobs");
        assertThat(jobs.retry().maxAttempts()).isEqualTo(5);
        assertThat(jobs.retry().backoff())
                .isEqualTo(new Policy.Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(30)));
        assertThat(jobs.retry().jitter()).isEqualTo(new Policy.Jitter.Bounded(0.5));
    }

    private static Map<String, String> settings() throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (var source :
                List.copyOf(new YamlPropertySourceLoader().load("shipped", new ClassPathResource("application.yml")))) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                settings.put(name, String.valueOf(source.getProperty(name)));
            }
        }
        return settings;
    }
}
