package dev.semel.server.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Configuration files for tests, and the variables to which they refer. */
final class SampleConfig {
    static final String RANDOM = "7f3a9c1e5b2d4068";
    static final Path PAGE = Path.of("..", "docs", "server-configuration.md");

    /** Each value is easy to find in a text. */
    static final Map<String, String> VARIABLES = Map.ofEntries(
            Map.entry("DB_PASSWORD", "dbHUNTERpassword"),
            Map.entry("STRIPE_SECRET", "whsec_stripeHUNTERsecret"),
            Map.entry("CRM_SECRET", "crmHUNTERsecretcrm"),
            Map.entry("BILLING_TOKEN", "tokenHUNTERtoken"),
            Map.entry(
                    "BILLING_SIGNING_SECRET",
                    "whsec_" + Base64.getEncoder().encodeToString("signingHUNTERsigningsecret".getBytes())),
            Map.entry("SECRET", "plainHUNTERsecretplain"),
            Map.entry("SHOP_TOKEN", "shopHUNTERtokenshoptoken"),
            Map.entry("ALICE_SECRET", "aliceHUNTERsecret0123456789"),
            Map.entry("ALICE_NEXT_SECRET", "aliceHUNTERnextsecret0123456789"),
            Map.entry("BOB_SECRET", "bobHUNTERsecret0123456789"),
            Map.entry("URL", "https://example.com/urlHUNTERtoken"),
            Map.entry("NUMBER", "12"),
            Map.entry("BAD", "badHUNTERvalue"));

    /** The smallest file with something of everything. */
    static final String SMALL = """
            store: sqlite:semel.db
            sources:
              stripe:
                path: /in/%s
                scheme: stripe
                secrets: ${env:SECRET}
            destinations:
              app:
                url: https://app.example/hooks
            routes:
              - from: stripe
                to: app
            """.formatted(RANDOM);

    private SampleConfig() {}

    static Secrets secrets() {
        return Secrets.of(VARIABLES);
    }

    static ConfigFile read(Path directory, String text) {
        return ConfigFile.read(write(directory, text), secrets());
    }

    static ServerConfig config(Path directory, String text) {
        return read(directory, text).config();
    }

    /** What is wrong with a file, as {@code line:column: message}; empty when it is accepted. */
    static List<String> faults(Path directory, String text) {
        try {
            read(directory, text);
            return List.of();
        } catch (ConfigFaults wrong) {
            return wrong.faults();
        }
    }

    static Path write(Path directory, String text) {
        try {
            return Files.writeString(directory.resolve("semel.yaml"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The example of the page, with a file that it refers to in this directory. */
    static String example(Path directory) throws IOException {
        List<String> page = Files.readAllLines(PAGE);
        int begin = page.indexOf("<!-- example -->") + 2;
        int end = begin + page.subList(begin, page.size()).indexOf("```");
        Path old = Files.writeString(directory.resolve("stripe-old"), "oldHUNTERsecretold\n");
        return String.join("\n", page.subList(begin, end)).replace("/run/secrets/stripe-old", old.toString()) + "\n";
    }

    /** {@link #SMALL} with one line replaced by others, which have its indentation. */
    static String with(String line, String... others) {
        List<String> lines = new java.util.ArrayList<>();
        boolean found = false;
        for (String each : SMALL.split("\n")) {
            if (each.strip().startsWith(line)) {
                found = true;
                String indentation = each.substring(0, each.indexOf(each.strip()));
                for (String other : others) {
                    lines.add(indentation + other);
                }
            } else {
                lines.add(each);
            }
        }
        if (!found) {
            throw new AssertionError("no line begins with " + line);
        }
        return String.join("\n", lines) + "\n";
    }

    static Map<String, String> variablesWith(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(VARIABLES);
        all.put(name, value);
        return all;
    }
}
