package dev.semel.server.oidc;

import java.net.URI;
import java.util.Locale;
import java.util.Set;

/** URLs from which keys may be fetched. Whoever can change such an answer can sign tokens, so it must be HTTPS. */
public final class ProviderUrl {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");
    private static final int LARGEST_PORT = 65_535;

    private ProviderUrl() {}

    /** What is wrong with it, in words that continue "the URL"; empty when nothing is. */
    public static String problem(URI url, boolean loopbackHttp) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (url.getHost() == null || url.getPort() == 0 || url.getPort() > LARGEST_PORT) {
            return "has no valid host and port: write https://host/path";
        }
        if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            return "has user info or a fragment: remove it";
        }
        if (scheme.equals("https")) {
            return "";
        }
        boolean local = scheme.equals("http") && LOOPBACK.contains(url.getHost().toLowerCase(Locale.ROOT));
        return local && loopbackHttp
                ? ""
                : "is not HTTPS" + (local ? ": write https://, or loopback-http: true" : ": write https://");
    }
}
