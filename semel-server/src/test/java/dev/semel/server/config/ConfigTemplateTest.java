package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConfigTemplateTest {
    @TempDir
    private Path directory;

    private static Map<String, String> values(String text) {
        return ConfigTemplate.variables(text).stream()
                .collect(Collectors.toMap(
                        name -> name,
                        name -> name.endsWith("_URL") ? "https://app.example/hooks" : "MDEyMzQ1Njc4OWFiY2RlZmdo"));
    }

    @ParameterizedTest
    @EnumSource(ConfigTemplate.class)
    void templateHasNoFaultsOnceItsVariablesAreSet(ConfigTemplate template) {
        String text = template.text(new Random(7));
        ConfigFile read = ConfigFile.read(SampleConfig.write(directory, text), Secrets.of(values(text)));
        assertThat(read.warnings()).isEmpty();
        boolean gateway = template == ConfigTemplate.GATEWAY;
        assertThat(read.config().sources()).hasSize(gateway ? 0 : 1);
        assertThat(read.config().routes()).hasSize(gateway ? 0 : 1);
        assertThat(read.config().gateways()).hasSize(gateway ? 1 : 0);
    }

    @ParameterizedTest
    @EnumSource(ConfigTemplate.class)
    void withoutItsVariablesEachIsNamed(ConfigTemplate template) {
        String text = template.text(new Random(7));
        List<String> faults = SampleConfig.faults(directory, text);
        assertThat(faults).hasSize(2).allMatch(fault -> fault.contains(" is not set"));
        assertThat(ConfigTemplate.variables(text))
                .hasSize(2)
                .allMatch(name -> faults.toString().contains(name));
    }

    /** Lines that users may uncomment are sound, too. */
    @Test
    void commentedSettingsAreSound() {
        String text = ConfigTemplate.STRIPE
                .text(new Random(7))
                .replaceAll("(?m)^( +)# (?=(allow|  http|  networks|signing|when|  - json|    in))", "$1");
        assertThat(text).contains("\n    allow:", "\n    signing:", "\n      - json: /type");
        Map<String, String> values = values(text);
        assertThat(values).containsKey("APP_SIGNING_SECRET");
        ConfigFile read = ConfigFile.read(SampleConfig.write(directory, text), Secrets.of(values));
        assertThat(read.config().destinations().get(0).target().egress().plainHttp())
                .isTrue();
    }

    @Test
    void pageShowsWhatTheCheckOfANewFilePrints() throws IOException {
        String page = Files.readString(SampleConfig.PAGE);
        assertThat(SampleConfig.faults(directory, ConfigTemplate.STRIPE.text(new Random(7))))
                .hasSize(2)
                .allSatisfy(fault -> assertThat(page).contains("\nsemel.yaml:" + fault + "\n"));
    }

    @Test
    void eachFileHasAPathOfItsOwn() {
        Random random = new Random(7);
        assertThat(ConfigTemplate.STRIPE.text(random)).isNotEqualTo(ConfigTemplate.STRIPE.text(random));
    }
}
