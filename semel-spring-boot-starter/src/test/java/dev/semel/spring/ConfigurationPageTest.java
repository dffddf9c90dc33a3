package dev.semel.spring;

import static dev.semel.spring.GeneratedPage.code;
import static dev.semel.spring.GeneratedPage.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.engine.EngineSetting;
import dev.semel.policy.PolicySetting;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;

/**
 * {@code docs/configuration.md} says what the code says. To write its tables anew:
 *
 * <pre>
 * mvn -pl semel-spring-boot-starter -am test -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=write
 * </pre>
 */
class ConfigurationPageTest {
    private static final GeneratedPage PAGE = new GeneratedPage(Path.of("..", "docs", "configuration.md"));
    private static final String HOW = "mvn -pl semel-spring-boot-starter -am test -Dtest=ConfigurationPageTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=write";

    private static void assertPart(String name, List<String> lines) throws IOException {
        List<String> expected = PAGE.with(name, lines);
        if (GeneratedPage.isToBeWritten()) {
            Files.write(PAGE.file(), expected);
        }
        assertThat(Files.readAllLines(PAGE.file()))
                .as("docs/configuration.md differs from the code; to write it anew: " + HOW)
                .isEqualTo(expected);
    }

    @Test
    void settingsInCodeAreThoseOfTheFrontDoor() throws IOException {
        Map<String, Method> methods = new TreeMap<>();
        Stream.of(Semel.Settings.class.getMethods())
                .filter(method -> method.getReturnType() == Semel.Settings.class)
                .forEach(method -> methods.put(method.getName(), method));
        assertThat(EngineSetting.all())
                .extracting(EngineSetting::method)
                .containsExactlyInAnyOrderElementsOf(methods.keySet());
        assertPart(
                "settings",
                table(
                        List.of("setting", "default", "limits", "meaning"),
                        EngineSetting.all().stream()
                                .map(setting -> List.of(
                                        code(signature(methods.get(setting.method()))),
                                        setting.unset(),
                                        setting.allowed().values(),
                                        setting.meaning()))));
    }

    private static String signature(Method method) {
        return method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    @Test
    void storeUrlsAreThoseOfTheStores() throws IOException {
        List<StoreProvider> stores = Stores.installed().all();
        List<String> lines = new ArrayList<>(table(
                List.of("store", "URL", "data source"),
                stores.stream()
                        .map(store -> List.of(
                                store.engine(),
                                code(store.example()),
                                store.database().orElse("no")))));
        lines.add("");
        lines.addAll(table(
                List.of("store", "parameter", "default", "limits", "meaning"),
                stores.stream()
                        .flatMap(store -> store.parameters().stream()
                                .map(each -> List.of(
                                        store.engine(),
                                        code(each.name()),
                                        code(each.preset()),
                                        each.limits(),
                                        each.meaning())))));
        assertPart("store-urls", lines);
    }

    @Test
    void propertiesAreThoseOfTheStarter() throws IOException {
        Map<String, JsonNode> properties = new TreeMap<>(MetadataTest.properties());
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(tier("Basic", properties, name -> !name.matches(".*\\.(tuning|expert)\\..*")));
        lines.addAll(tier("Tuning: often changed", properties, name -> name.contains(".tuning.")));
        lines.addAll(tier("Expert: few applications need them", properties, name -> name.contains(".expert.")));
        assertPart("spring", lines);
    }

    private static List<String> tier(String title, Map<String, JsonNode> properties, Predicate<String> belongs) {
        List<String> lines = new ArrayList<>(List.of("### " + title, ""));
        lines.addAll(table(
                List.of("property", "value", "default", "meaning"),
                properties.entrySet().stream()
                        .filter(each -> belongs.test(each.getKey()))
                        .map(each -> List.of(
                                code(each.getKey()),
                                type(each.getValue().path("type").asString()),
                                code(shown(each.getValue().path("defaultValue"))),
                                each.getValue().path("description").asString()))));
        lines.add("");
        return lines;
    }

    private static String type(String name) {
        if (ClassUtils.isPresent(name, null)
                && ClassUtils.resolveClassName(name, null).isEnum()) {
            return Stream.of(ClassUtils.resolveClassName(name, null).getEnumConstants())
                    .map(each -> code(each.toString().toLowerCase(Locale.ROOT)))
                    .collect(Collectors.joining(", "));
        }
        return switch (name) {
            case "java.lang.Boolean" -> "true or false";
            case "java.lang.Integer" -> "number";
            case "java.time.Duration" -> "duration, such as `10s`";
            case "org.springframework.util.unit.DataSize" -> "size, such as `256KB`";
            case "java.net.URI" -> "URI";
            case "java.lang.String" -> "text";
            default ->
                name.startsWith("java.util.List<") ? "list" : name.startsWith("java.util.Map<") ? "settings" : name;
        };
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "" : value.isArray() ? "" : value.asString();
    }

    @Test
    void settingsOfAPolicyAreThoseThatAreRead() throws IOException {
        assertPart(
                "policy-settings",
                table(
                        List.of("setting", "default", "value", "meaning"),
                        Stream.of(PolicySetting.values())
                                .map(setting -> List.of(
                                        code(setting.key()),
                                        code(setting.of(Policy.DEFAULT).orElse("")),
                                        setting.form(),
                                        setting.meaning()))));
    }

    @Test
    void policiesAreThoseThatShip() throws IOException {
        List<PolicySetting> different = new ArrayList<>();
        List<String> same = new ArrayList<>();
        for (PolicySetting setting : PolicySetting.values()) {
            Set<String> values = Policy.shipped().stream()
                    .map(policy -> setting.of(policy).orElse(""))
                    .collect(Collectors.toSet());
            if (values.size() > 1) {
                different.add(setting);
            } else if (!values.contains("")) {
                same.add(code(setting.key() + " = " + values.iterator().next()));
            }
        }
        List<String> heading = new ArrayList<>(List.of("policy"));
        different.forEach(setting -> heading.add(setting.key()));
        List<String> lines = new ArrayList<>(table(
                heading,
                Policy.shipped().stream()
                        .map(policy -> Stream.concat(
                                        Stream.of(code(policy.name())),
                                        different.stream()
                                                .map(setting ->
                                                        setting.of(policy).orElse("")))
                                .toList())));
        lines.addAll(List.of("", "The same for all of them: " + String.join(", ", same) + "."));
        assertPart("policies", lines);
    }

    @Test
    void retentionClassesAreThoseThatShip() throws IOException {
        assertPart(
                "retention",
                table(
                        List.of("class", "results", "failures", "dead letters"),
                        Policy.Retention.classes().entrySet().stream().map(each -> {
                            Policy policy = Policy.named("any")
                                    .withRetention(each.getValue())
                                    .build();
                            return List.of(
                                    code(each.getKey()),
                                    PolicySetting.RETENTION_SUCCESS.of(policy).orElse(""),
                                    PolicySetting.RETENTION_FAILURE.of(policy).orElse(""),
                                    PolicySetting.RETENTION_DEAD_LETTERS
                                            .of(policy)
                                            .orElse(""));
                        })));
    }
}
