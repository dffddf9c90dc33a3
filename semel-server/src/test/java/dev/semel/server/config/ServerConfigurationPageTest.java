package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.policy.PolicySetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code docs/server-configuration.md} says what the code says. To write its tables anew:
 *
 * <pre>
 * mvn -pl semel-server -am test -Dtest=ServerConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=write
 * </pre>
 */
class ServerConfigurationPageTest {
    private static final String HOW = "mvn -pl semel-server -am test -Dtest=ServerConfigurationPageTest"
            + " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs=write";

    @TempDir
    private Path directory;

    private static void assertPart(String part, List<String> lines) throws IOException {
        List<String> page = Files.readAllLines(SampleConfig.PAGE);
        int begin = page.indexOf("<!-- generated: " + part + " -->");
        assertThat(begin).as("the page has the part " + part).isNotNegative();
        int end = begin + page.subList(begin, page.size()).indexOf("<!-- end -->");
        List<String> expected = new ArrayList<>(page.subList(0, begin + 1));
        expected.addAll(lines);
        expected.addAll(page.subList(end, page.size()));
        if (System.getProperty("docs", "").equals("write")) {
            Files.write(SampleConfig.PAGE, expected);
        }
        assertThat(Files.readAllLines(SampleConfig.PAGE))
                .as("docs/server-configuration.md differs from the code; to write it anew: " + HOW)
                .isEqualTo(expected);
    }

    @Test
    void settingsAreThoseThatAreRead() throws IOException {
        List<String> lines = new ArrayList<>();
        for (ConfigPart part : ConfigPart.values()) {
            lines.addAll(List.of(
                    "", "### " + part.title(), "", "| setting | value | default | meaning |", "|---|---|---|---|"));
            part.settings()
                    .forEach(each -> lines.add("| `" + each.key() + "` | " + each.form() + " | "
                            + (each.presetValue() == null ? each.unset() : "`" + each.presetValue() + "`") + " | "
                            + each.meaning().replace("|", "\\|") + " |"));
        }
        lines.add("");
        assertPart("settings", lines);
    }

    @Test
    void reservedPathsAreThoseThatAreRejected() throws IOException {
        assertPart(
                "reserved-paths",
                List.of(String.join(
                                ", ",
                                SourcePaths.RESERVED.stream()
                                        .map(each -> "`" + each + "`")
                                        .toList()) + "."));
    }

    @Test
    void redeliveryIsThatOfTheSchemes() throws IOException {
        List<String> lines = new ArrayList<>(List.of("| scheme | may send again for |", "|---|---|"));
        Arrays.stream(SenderScheme.values())
                .forEach(each -> lines.add("| `" + each.key() + "` | "
                        + (each.redelivery() == null
                                ? "not known"
                                : each.redelivery().toHours() + "h")
                        + " |"));
        assertPart("redelivery", lines);
    }

    @Test
    void exampleHasNeitherFaultsNorWarningsAndShowsEveryPart() throws IOException {
        String example = SampleConfig.example(directory);
        Files.setPosixFilePermissions(
                directory.resolve("stripe-old"), java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        assertThat(SampleConfig.read(directory, example).warnings()).isEmpty();
        assertThat(example)
                .contains(Stream.of(
                                "store",
                                "listen",
                                "policies",
                                "sources",
                                "topics",
                                "destinations",
                                "routes",
                                "tokens",
                                "users",
                                "oidc",
                                "sessions",
                                "channels",
                                "gateways")
                        .map(each -> each + ":")
                        .toList());
    }

    /** A default that is written out is the default. The breaker of the base has settings. */
    @ParameterizedTest
    @MethodSource("dev.semel.server.config.DeclaredSetting#all")
    void defaultOfThePageIsThatOfTheCode(DeclaredSetting setting) {
        String preset = setting.presetValue();
        if (preset != null && setting != ConfigSetting.DESTINATION_BREAKER) {
            String text = fileWith(setting, preset);
            assertThat(SampleConfig.config(directory, text).toString())
                    .isEqualTo(SampleConfig.config(directory, BASE.replaceAll("#.*", ""))
                            .toString());
        }
    }

    /** A setting that nobody reads would take any value. */
    @ParameterizedTest
    @MethodSource("dev.semel.server.config.DeclaredSetting#all")
    void everySettingIsRead(DeclaredSetting setting) {
        String text = fileWith(setting, "[[]]");
        int line = lineOf(text, setting);
        assertThat(SampleConfig.faults(directory, text)).as(text).anyMatch(fault -> fault.startsWith(line + ":"));
    }

    /** Something of every part; a part begins behind its mark. */
    private static final String BASE = """
            store: sqlite:semel.db
            listen: #LISTEN
              limits: #LIMITS
                connections: 1000
            sources:
              crm: #SOURCE
                path: /in/7f3a9c1e5b2d4068
                scheme: hmac
                secrets: ${env:SECRET}
                hmac: #HMAC
                  header: X-Signature
                key: json:/id
                policy: webhook.inbox
            topics:
              orders: #TOPIC
                policy: webhook.inbox
            destinations:
              app: #DESTINATION
                url: https://app.example/hooks
                breaker: #BREAKER
                  calls: 100
                rate-limit: #RATE_LIMIT
                  limit: 5/s
                allow: #ALLOW
                  http: false
            routes:
              -   #ROUTE
                from: crm
                to: app
                when:
                  -   #CONDITION
                    json: /a
                    exists: true
            tokens:
              shop: #TOKEN
                secret: ${env:SECRET}
                tenant: acme
                scopes: [run]
            users:
              alice: #USER
                secrets: ${env:ALICE_SECRET}
                role: admin
                tenant: acme
            oidc: #OIDC
              issuer: https://login.example
              audience: semel
              tenant-claim: org
              roles:
                admins: #OIDC_ROLE
                  role: admin
            sessions: #SESSIONS
              idle: 30m
            channels:
              jobs: #CHANNEL
                policy: default
            gateways:
              api: #GATEWAY
                path: /shop
                upstream: https://shop.example/v1
            """;

    /** The base with this value of a setting, in place of the one that is there. */
    private static String fileWith(DeclaredSetting setting, String value) {
        List<String> lines = new ArrayList<>();
        int skipped = -1;
        boolean inPart = setting.part() == ConfigPart.FILE;
        if (inPart) {
            lines.add(setting.key() + ": " + value);
        }
        String base = setting.part() == ConfigPart.KEY
                ? BASE.replace("key: json:/id", "key: #KEY\n      first-of: [json:/id]")
                : setting.part() == ConfigPart.TLS
                        ? BASE.replace("  limits: #LIMITS", "  tls: #TLS\n    x: y\n  limits: #LIMITS")
                        : BASE;
        int partDepth = inPart ? 0 : -1;
        for (String line : base.split("\n")) {
            String bare = line.replaceFirst("#.*", "").stripTrailing();
            int depth = bare.length() - bare.stripLeading().length();
            if (skipped >= 0 && depth > skipped) {
                continue;
            }
            skipped = -1;
            if (partDepth >= 0 && depth < partDepth) {
                partDepth = -1;
            }
            if (depth == partDepth && bare.strip().startsWith(setting.key() + ":")) {
                skipped = depth;
                continue;
            }
            lines.add(bare);
            if (line.endsWith("#" + setting.part())) {
                partDepth = depth + 2;
                lines.add(" ".repeat(partDepth) + setting.key() + ": " + value);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private static int lineOf(String text, DeclaredSetting setting) {
        String[] lines = text.split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (lines[i].strip().equals(setting.key() + ": [[]]")) {
                return i + 1;
            }
        }
        throw new AssertionError(setting + " is not in\n" + text);
    }

    /** One file for each setting, also of policies, with this value. */
    static List<String> filesWithEach(String value) {
        List<String> files = new ArrayList<>();
        DeclaredSetting.all().forEach(setting -> files.add(fileWith(setting, value)));
        Stream.of(PolicySetting.values())
                .forEach(setting -> files.add(SampleConfig.SMALL + "policies:\n  p:\n"
                        + (setting == PolicySetting.EXTENDS ? "" : "    extends: default\n") + "    " + setting.key()
                        + ": "
                        + value + "\n"));
        return files;
    }
}
