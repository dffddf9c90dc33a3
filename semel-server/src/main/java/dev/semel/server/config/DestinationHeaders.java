package dev.semel.server.config;

import dev.semel.server.config.ConfigSection.NamedNode;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Headers that are added to deliveries. Their values may be secrets, so no message repeats them. */
record DestinationHeaders(ConfigSection section, DeclaredSetting setting) {
    private static final Set<String> SECRET = Set.of("authorization", "cookie", "x-api-key", "x-auth-token");
    private static final Set<String> OWN = Set.of(
            "connection",
            "content-length",
            "expect",
            "host",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "webhook-id",
            "webhook-signature",
            "webhook-timestamp");

    /** Empty when one is wrong, which is reported. */
    Optional<Map<String, String>> read() {
        Map<String, String> headers = new LinkedHashMap<>();
        if (!section.has(setting)) {
            return Optional.of(headers);
        }
        int before = section.findings().count();
        Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (NamedNode header : section.named(setting)) {
            String label = section.label("headers") + ", header " + ConfigText.quoted(header.name()) + ",";
            Optional<ConfigText> value = section.text(header.node(), label);
            String problem = !EventPlaces.HEADER_NAME.matcher(header.name()).matches()
                    ? "is not the name of a header"
                    : OWN.contains(header.name().toLowerCase(Locale.ROOT))
                            ? "is set by the server itself: remove it"
                            : !seen.add(header.name())
                                    ? "is set twice; names of headers are compared without case"
                                    : value.map(text -> problem(header.name(), text))
                                            .orElse("");
            if (!problem.isEmpty()) {
                section.findings().fault(header.at(), label + " " + problem);
            }
            value.ifPresent(text -> headers.put(header.name(), text.text()));
        }
        return section.findings().count() > before ? Optional.empty() : Optional.of(headers);
    }

    private static String problem(String name, ConfigText value) {
        if (SECRET.contains(name.toLowerCase(Locale.ROOT)) && !value.hasReference()) {
            return SecretSettings.HOW + ", such as Bearer ${env:NAME}";
        }
        return value.text().chars().allMatch(each -> each == '\t' || each >= ' ' && each < 0x7f)
                ? ""
                : "has a value that cannot be sent: use visible ASCII characters and spaces, in one line";
    }
}
