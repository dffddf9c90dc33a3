package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.config.ConfigTemplate;
import dev.semel.server.config.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConfigCommandsTest {
    private static final String SECRET = "MDEyMzQ1Njc4OWFiY2RlZmdo";

    @TempDir
    private Path directory;

    private Shell check(Map<String, String> variables, String... args) {
        return Shell.run(new CommandLine(new ConfigCheck(Secrets.of(variables))), Ansi.OFF, args);
    }

    private static Map<String, String> variables(String text) {
        Map<String, String> values = new HashMap<>();
        ConfigTemplate.variables(text)
                .forEach(name -> values.put(name, name.endsWith("_URL") ? "https://app.example/hooks/HUNTER" : SECRET));
        return values;
    }

    static List<String> presets() {
        return ConfigTemplate.presets();
    }

    /** What the check shows of the file that a preset makes. */
    private static List<String> shownOf(String preset) {
        return preset.equals("gateway")
                ? List.of("GATEWAY", "api", "token", "/api-gateway", "https://app.example")
                : List.of("SOURCE", "DESTINATION", "app", "delivery", "https://app.example", "/webhooks/", "always");
    }

    @ParameterizedTest
    @MethodSource("presets")
    void writtenFilePassesTheCheckOnceItsVariablesAreSet(String preset) throws IOException {
        Path file = directory.resolve("semel.yaml");
        Shell init = semel("init", "--preset", preset, "--file", file.toString());
        assertThat(init.exit()).as(init.err()).isZero();
        String text = Files.readString(file);
        Map<String, String> variables = variables(text);
        assertThat(init.out()).contains("Wrote " + file, "semel check " + file).contains(variables.keySet());
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));

        Shell unset = check(Map.of(), file.toString());
        assertThat(unset.exit()).isEqualTo(1);
        assertThat(unset.out().lines()).hasSize(2).allMatch(line -> line.startsWith(file + ":"));

        Shell set = check(variables, file.toString());
        assertThat(set.exit()).as(set.out() + set.err()).isZero();
        assertThat(set.out()).contains("no faults").contains(shownOf(preset)).doesNotContain("HUNTER", SECRET);
    }

    @Test
    void existingFileIsNotChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("semel.yaml"), "mine");
        Shell init = semel("init", "--file", file.toString());
        assertThat(init.exit()).isEqualTo(2);
        assertThat(init.err()).contains("exists and was not changed", "--file");
        assertThat(file).hasContent("mine");
    }

    @Test
    void fileInAMissingDirectoryAndUnknownPresetAreBadInput() {
        Shell missing =
                semel("init", "--file", directory.resolve("no/semel.yaml").toString());
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("Writing the file", "failed");
        Shell unknown = semel(
                "init", "--preset", "strip", "--file", directory.resolve("a").toString());
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err())
                .contains(
                        "Unknown preset 'strip': use one of standard-webhooks, stripe, github, slack, shopify, gateway.");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void everyFaultIsPrintedWithItsPlace() throws IOException {
        Path file = Files.writeString(directory.resolve("bad.yaml"), "store: mysql:x\nsorces: {}\n");
        Shell check = check(Map.of(), file.toString());
        assertThat(check.exit()).isEqualTo(1);
        assertThat(check.out().lines()).hasSize(2);
        assertThat(check.out())
                .startsWith(file + ":1:8: 'store' is not the URL of a store")
                .contains(file + ":2:1: unknown setting 'sorces': did you mean 'sources'?");
        Shell missing = semel("check", directory.resolve("none.yaml").toString());
        assertThat(missing.exit()).isEqualTo(1);
        assertThat(missing.out()).contains("none.yaml:1:1: the configuration cannot be read (there is no such file)");
    }

    @Test
    void warningsArePrintedAndDoNotFail() throws IOException {
        Path file = Files.writeString(
                directory.resolve("w.yaml"), "store: sqlite:a.db\ndestinations:\n  app: {url: https://app.example/}\n");
        Shell check = check(Map.of(), file.toString());
        assertThat(check.exit()).isZero();
        assertThat(check.out()).startsWith(file + ":3:3: warning: no route leads to destination 'app'");
    }

    @Test
    void jsonHasFaultsOrWhatIsSetUp() throws IOException {
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "store: mysql:x\n");
        JsonNode faults = JsonMapper.shared()
                .readTree(check(Map.of(), bad.toString(), "--json").out());
        assertThat(faults.path("ok").asBoolean(true)).isFalse();
        assertThat(faults.at("/faults/0/line").asInt()).isEqualTo(1);
        assertThat(faults.at("/faults/0/column").asInt()).isEqualTo(8);
        assertThat(faults.at("/faults/0/message").asString()).contains("'store'");

        Path good = directory.resolve("good.yaml");
        semel("init", "--preset", "github", "--file", good.toString());
        Shell check = check(variables(Files.readString(good)), good.toString(), "--json");
        assertThat(check.exit()).isZero();
        JsonNode report = JsonMapper.shared().readTree(check.out());
        assertThat(report.path("ok").asBoolean(false)).isTrue();
        assertThat(report.at("/sources/0/name").asString()).isEqualTo("github");
        assertThat(report.at("/routes/0/to/0").asString()).isEqualTo("app");
        assertThat(report.at("/destinations/0/url").asString()).isEqualTo("https://app.example");
        assertThat(check.out()).doesNotContain("HUNTER", SECRET);
    }

    @Test
    void operatorsAreShownWithoutTheirSecrets() throws IOException {
        Path file = Files.writeString(directory.resolve("users.yaml"), """
                store: sqlite:a.db
                users:
                  alice: {secrets: "${env:ALICE}", role: admin, all-tenants: true}
                  bob: {secrets: "${env:BOB}", role: viewer, tenant: acme}
                oidc:
                  issuer: https://login.example
                  audience: semel
                  tenant-claim: org
                  roles:
                    ops: {role: operator}
                """);
        Map<String, String> secrets =
                Map.of("ALICE", "aliceHUNTERsecret0123456789", "BOB", "bobHUNTERsecret0123456789");
        Shell text = check(secrets, file.toString());
        assertThat(text.exit()).as(text.out()).isZero();
        assertThat(text.out())
                .contains("alice", "admin", "all", "bob", "viewer", "acme")
                .doesNotContain("No users");
        assertThat(text.out()).contains("https://login.example", "ops", "operator", "claim org");
        Shell json = check(secrets, file.toString(), "--json");
        JsonNode report = JsonMapper.shared().readTree(json.out());
        assertThat(report.at("/users/1/tenant").asString()).isEqualTo("acme");
        assertThat(report.at("/oidc/roles/0/role").asString()).isEqualTo("operator");
        assertThat(text.out() + text.err() + json.out() + json.err()).doesNotContain("HUNTER");

        Shell weak = check(Map.of("ALICE", "HUNTER2", "BOB", "HUNTER2HUNTER2HUNTER2"), file.toString());
        assertThat(weak.exit()).isEqualTo(1);
        assertThat(weak.out()).contains("user alice: its secret has 7 characters", "fewer than 8 different");
        assertThat(weak.out()).doesNotContain("HUNTER");
    }

    @Test
    void h1_checkSaysThatNobodyIsConfigured() throws IOException {
        Path file = Files.writeString(directory.resolve("none.yaml"), "store: sqlite:a.db\n");
        assertThat(check(Map.of(), file.toString()).out()).contains("No users", "one-time secret");
    }
}
