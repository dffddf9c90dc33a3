package dev.semel.server.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/** The URL of a destination. It may hold a token, so no message repeats it. */
record DestinationUrl(ConfigSection section) {
    private static final int LARGEST_PORT = 65_535;

    Optional<URI> read(boolean plainHttp) {
        return section.text(ConfigSetting.DESTINATION_URL).flatMap(text -> {
            try {
                URI url = new URI(text.text());
                String problem = problem(url, plainHttp);
                if (!problem.isEmpty()) {
                    section.fault(ConfigSetting.DESTINATION_URL, problem);
                }
                return problem.isEmpty() ? Optional.of(url) : Optional.empty();
            } catch (URISyntaxException wrong) {
                section.fault(
                        ConfigSetting.DESTINATION_URL,
                        "is not a URL at position " + wrong.getIndex() + ": write https://host/path");
                return Optional.empty();
            }
        });
    }

    private static String problem(URI url, boolean plainHttp) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        String authority = url.getRawAuthority();
        if (!scheme.equals("https") && !scheme.equals("http")) {
            return "must begin with https:// (or http://, where it is allowed)";
        }
        if (authority != null && authority.contains("@")) {
            return "has user info, which is not allowed: send credentials in 'headers', such as Authorization: Bearer"
                    + " ${env:NAME}";
        }
        if (url.getHost() == null || url.getPort() == 0 || url.getPort() > LARGEST_PORT) {
            return "has no valid host and port: write https://host/path";
        }
        if (url.getRawFragment() != null) {
            return "has a fragment (#), which is never sent: remove it";
        }
        if (!url.toASCIIString().equals(url.toString())) {
            return "has characters outside ASCII: percent-encode them";
        }
        return scheme.equals("http") && !plainHttp
                ? "is plain HTTP: write https://, or allow: {http: true} if the way to it is private"
                : "";
    }
}
