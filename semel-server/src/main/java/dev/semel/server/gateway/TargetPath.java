package dev.semel.server.gateway;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The path and query of a request to an API, as they are sent. Whatever two servers may read in two ways is rejected: dot segments, empty
 * segments, path parameters, encoded separators, dots, percent signs and control characters.
 */
final class TargetPath {
    private static final Pattern PATH = Pattern.compile("(?:[A-Za-z0-9._~!$&'()*+,=:@/-]|%[0-9A-Fa-f]{2})*+");
    private static final Pattern QUERY =
            Pattern.compile("(?:[A-Za-z0-9._~!$&'()*+,;=:@/?\\[\\]|{}^`\"-]|%[0-9A-Fa-f]{2})*+");
    private static final Pattern AMBIGUOUS = Pattern.compile("%(?:2f|5c|2e|25|3b|3f|23|7f|[01][0-9a-f])");
    private static final Set<String> DOTS = Set.of(".", "..");

    private TargetPath() {}

    /**
     * @param mount the path of the gateway
     * @param base the path of the API's URL
     * @return null when it is rejected
     */
    static @Nullable String of(HttpServletRequest request, String mount, String base) {
        String uri = request.getRequestURI();
        String query = request.getQueryString();
        if (!uri.equals(mount) && !uri.startsWith(mount + "/")) {
            return null;
        }
        String below = uri.substring(mount.length());
        if (!isPlain(below) || query != null && !QUERY.matcher(query).matches()) {
            return null;
        }
        String whole = (base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + below;
        return (whole.isEmpty() ? "/" : whole) + (query == null ? "" : "?" + encoded(query));
    }

    static boolean isPlain(String path) {
        return PATH.matcher(path).matches()
                && !path.contains("//")
                && !AMBIGUOUS.matcher(path.toLowerCase(Locale.ROOT)).find()
                && Arrays.stream(path.split("/", -1)).noneMatch(DOTS::contains);
    }

    /** Characters that browsers send as they are, and a URI may not have. */
    private static String encoded(String query) {
        return query.replace("[", "%5B")
                .replace("]", "%5D")
                .replace("|", "%7C")
                .replace("{", "%7B")
                .replace("}", "%7D")
                .replace("^", "%5E")
                .replace("`", "%60")
                .replace("\"", "%22");
    }
}
