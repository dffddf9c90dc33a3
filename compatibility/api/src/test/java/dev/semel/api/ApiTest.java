package dev.semel.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What users compile against does not break unannounced. The reference is a listing for each module in {@code reference}; a break since
 * then is announced by its name under Changed or Removed in the changelog. {@code compatibility/api/accept} makes what is there now
 * the reference, once all breaks are announced.
 */
class ApiTest {
    private static final Path CHANGELOG = Path.of("..", "..", "CHANGELOG.md");
    private static final Path IMPLEMENTED_BY_SEMEL = Path.of("reference", "implemented-by-semel.txt");
    private static final boolean ACCEPT = Boolean.getBoolean("semel.api.accept");

    @ParameterizedTest
    @EnumSource
    void breaksSinceTheReferenceAreAnnounced(PublishedModule module) throws IOException {
        Announcements announced = new Announcements(Files.readAllLines(CHANGELOG));
        Api present = module.present();
        List<ApiBreak> unannounced = ApiBreak.between(module.referenced(), present, implementedBySemel()).stream()
                .filter(change -> !announced.tell(change))
                .toList();
        assertThat(unannounced)
                .as(
                        "Breaks of %s that CHANGELOG.md does not announce. Take them back, or name each in backticks (%s)"
                                + " under Changed or Removed.",
                        module.artifact(), names(unannounced))
                .isEmpty();
        if (ACCEPT) {
            List<String> lines = new ArrayList<>(List.of(
                    "# What users of " + module.artifact() + " compile against. Written by compatibility/api/accept."));
            lines.addAll(present.lines());
            Files.write(module.reference(), lines);
        }
        assertThat(module.reference()).as("written by compatibility/api/accept").isRegularFile();
    }

    private static String names(List<ApiBreak> breaks) {
        return breaks.stream()
                .map(change -> "`" + change.name() + "`")
                .distinct()
                .collect(Collectors.joining(", "));
    }

    private static Set<String> implementedBySemel() throws IOException {
        return Files.readAllLines(IMPLEMENTED_BY_SEMEL).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .collect(Collectors.toSet());
    }

    @Test
    void interfacesImplementedBySemelExist() throws IOException {
        Set<String> types = Set.copyOf(PublishedModule.CORE.present().types().keySet());
        assertThat(types).containsAll(implementedBySemel());
    }

    @Test
    void listingReadsItsOwnText() {
        Api present = PublishedModule.CORE.present();
        assertThat(Api.parse(present.lines()).lines()).isEqualTo(present.lines());
        assertThat(present.types())
                .containsKeys("dev.semel.Semel", "dev.semel.Semel.Settings", "dev.semel.store.Store");
        assertThat(present.types().get("dev.semel.Semel").members())
                .contains("public static dev.semel.Semel open(javax.sql.DataSource)");
    }
}
