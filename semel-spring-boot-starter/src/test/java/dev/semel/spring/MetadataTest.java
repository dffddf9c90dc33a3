package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.policy.Catalogue;
import dev.semel.policy.PolicySetting;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an IDE is told about the properties, as it is shipped. */
class MetadataTest {
    private static final String FILE = "META-INF/spring-configuration-metadata.json";

    /** Absent, these mean something that no value says. */
    private static final Set<String> WITHOUT_DEFAULT = Set.of(
            "semel.console.path",
            "semel.store",
            "semel.policy",
            "semel.tuning.mode",
            "semel.expert.data-source",
            "semel.expert.transaction-manager",
            "semel.http.include",
            "semel.http.exclude",
            "semel.http.labels",
            "semel.http.level",
            "semel.http.routes",
            "semel.http.status.path",
            "semel.http.tuning.replayed-headers",
            "semel.http.expert.ietf-documentation");

    private static final Map<String, JsonNode> GROUPS = new TreeMap<>();
    private static final Map<String, JsonNode> PROPERTIES = new TreeMap<>();
    private static final Map<String, JsonNode> HINTS = new TreeMap<>();

    /** The properties of the starter, by name, as the IDE is told them. */
    static Map<String, JsonNode> properties() throws IOException {
        read();
        return PROPERTIES;
    }

    @BeforeAll
    static void read() throws IOException {
        URL shipped = SemelAutoConfiguration.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        URL file = Collections.list(MetadataTest.class.getClassLoader().getResources(FILE)).stream()
                .filter(each -> each.toString().contains(shipped.getPath()))
                .findFirst()
                .orElseThrow();
        try (InputStream in = file.openStream()) {
            JsonNode metadata = JsonMapper.shared().readTree(in);
            collect(metadata.path("groups"), GROUPS);
            collect(metadata.path("properties"), PROPERTIES);
            collect(metadata.path("hints"), HINTS);
        }
    }

    private static void collect(JsonNode from, Map<String, JsonNode> into) {
        for (JsonNode each : from) {
            // Several classes may have the properties of one group; one of them describes it.
            into.merge(
                    each.path("name").asString(),
                    each,
                    (one, other) -> one.path("description").isMissingNode() ? other : one);
        }
    }

    private static List<String> hinted(String name) {
        assertThat(HINTS).containsKey(name);
        return HINTS.get(name)
                .path("values")
                .valueStream()
                .map(value -> value.path("value").asString())
                .toList();
    }

    @Test
    void everyPropertyIsDescribed() {
        assertThat(PROPERTIES).hasSizeGreaterThan(25).allSatisfy((name, property) -> {
            assertThat(property.path("type").asString()).as(name).isNotEmpty();
            assertThat(property.path("description").asString())
                    .as(name)
                    .hasSizeGreaterThan(15)
                    .endsWith(".");
        });
    }

    /** What is refused as unknown is what the IDE does not offer. */
    @Test
    void everyPropertyIsKnownToTheCheckOfNamesAndNoOther() {
        assertThat(new PropertyNames().all())
                .containsExactlyInAnyOrderElementsOf(PROPERTIES.keySet().stream()
                        .filter(name -> name.startsWith("semel."))
                        .toList());
    }

    @Test
    void everyDefaultIsShownExceptForOptionalProperties() {
        assertThat(PROPERTIES.values().stream()
                        .filter(property -> property.path("defaultValue").isMissingNode())
                        .map(property -> property.path("name").asString()))
                .filteredOn(name -> !name.startsWith("semel.http.routes[]."))
                .containsExactlyInAnyOrderElementsOf(WITHOUT_DEFAULT);
    }

    @Test
    void threeTiersHaveDescriptions() {
        for (String tier : List.of("", ".tuning", ".expert")) {
            for (String part : List.of("semel", "semel.http")) {
                String group = part + tier;
                assertThat(GROUPS).containsKey(group);
                assertThat(GROUPS.get(group).path("description").asString())
                        .as(group)
                        .startsWith(
                                switch (tier) {
                                    case "" -> "Basic settings";
                                    case ".tuning" -> "Settings that are often changed";
                                    default -> "Settings that few applications need";
                                });
                assertThat(PROPERTIES.keySet()).as(group).anyMatch(name -> name.startsWith(group + "."));
            }
        }
        assertThat(PROPERTIES.keySet())
                .filteredOn(name -> name.startsWith("semel."))
                .allMatch(name -> name.matches(
                        "semel\\.(http\\.|console\\.)?((tuning|expert|status|routes\\[\\])\\..+|[a-z-]+)"));
    }

    /** Where a property takes one of a few words, each is offered with what it means, and no other. */
    @Test
    void enumPropertiesOfferAllValues() {
        assertThat(PROPERTIES.values())
                .filteredOn(property -> property.path("name").asString().startsWith("semel."))
                .filteredOn(property -> !constants(property).isEmpty())
                .hasSize(7)
                .allSatisfy(property -> assertThat(hinted(property.path("name").asString()))
                        .containsExactlyInAnyOrderElementsOf(constants(property)));
        assertThat(hinted("semel.http.tuning.policy"))
                .containsExactlyInAnyOrderElementsOf(Catalogue.shipped().names());
        assertThat(HINTS.values())
                .flatExtracting(hint -> hint.path("values").valueStream().toList())
                .allSatisfy(value ->
                        assertThat(value.path("description").asString()).isNotEmpty());
    }

    /** None for what is no enum. */
    private static List<String> constants(JsonNode property) {
        String type = property.path("type").asString();
        if (!ClassUtils.isPresent(type, null)) {
            return List.of();
        }
        Object[] constants = ClassUtils.resolveClassName(type, null).getEnumConstants();
        return constants == null
                ? List.of()
                : Stream.of(constants)
                        .map(each -> each.toString().toLowerCase(Locale.ROOT))
                        .toList();
    }

    @Test
    void beanNamesAreOffered() {
        for (String name : List.of("semel.expert.data-source", "semel.expert.transaction-manager")) {
            assertThat(HINTS).containsKey(name);
            assertThat(HINTS.get(name).path("providers").path(0).path("name").asString())
                    .isEqualTo("spring-bean-reference");
        }
    }

    /** Every setting of a policy, and nothing that is none, each with the description that the code has. */
    @Test
    void settingsOfAPolicyAreOffered() {
        Map<String, String> offered = new TreeMap<>();
        HINTS.get("semel.policy.keys")
                .path("values")
                .valueStream()
                .forEach(value -> offered.put(
                        value.path("value").asString(),
                        value.path("description").asString()));
        assertThat(offered)
                .containsExactlyInAnyOrderEntriesOf(Stream.of(PolicySetting.values())
                        .collect(Collectors.toMap(setting -> "default." + setting.key(), PolicySetting::meaning)));
    }
}
