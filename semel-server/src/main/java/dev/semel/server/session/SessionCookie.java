package dev.semel.server.session;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cookie with a session's token. With TLS its name makes browsers accept it from this host alone. */
public final class SessionCookie {
    static final String SECURE_NAME = "__Host-semel-session";
    static final String PLAIN_NAME = "semel-session";

    private SessionCookie() {}

    private static boolean isSecure(HttpServletRequest request, SessionLimits limits) {
        return request.isSecure() || limits.secureCookies();
    }

    /** The token; null when there is no cookie, or more than one: then one of them is not ours. */
    static @Nullable String read(HttpServletRequest request, SessionLimits limits) {
        String name = isSecure(request, limits) ? SECURE_NAME : PLAIN_NAME;
        Cookie[] all = request.getCookies();
        List<Cookie> ours = all == null
                ? List.of()
                : Arrays.stream(all).filter(each -> each.getName().equals(name)).toList();
        return ours.size() == 1 ? ours.get(0).getValue() : null;
    }

    static void write(HttpServletRequest request, HttpServletResponse response, SessionLimits limits, CookieText text) {
        boolean secure = isSecure(request, limits);
        response.addHeader(
                "Set-Cookie",
                (secure ? SECURE_NAME : PLAIN_NAME) + "=" + text.value + "; Path=/; Max-Age="
                        + Math.max(0, text.left.toSeconds()) + "; HttpOnly; SameSite=Strict"
                        + (secure ? "; Secure" : ""));
    }

    /** A Cookie header without the cookies of this server; empty when there are no others. */
    public static String without(String header) {
        return Arrays.stream(header.split(";"))
                .map(String::strip)
                .filter(pair -> !pair.isEmpty() && !isOurs(pair))
                .collect(Collectors.joining("; "));
    }

    /** Whether a Set-Cookie header would set a cookie of this server. */
    public static boolean isSetBy(String header) {
        return isOurs(header.strip());
    }

    private static boolean isOurs(String pair) {
        String name = pair.split("[=;]", 2)[0].strip();
        return name.equalsIgnoreCase(SECURE_NAME) || name.equalsIgnoreCase(PLAIN_NAME);
    }

    /** @param left until it ends; zero to remove it */
    record CookieText(String value, Duration left) {
        static final CookieText NONE = new CookieText("", Duration.ZERO);

        /** Without the token. */
        @Override
        public String toString() {
            return "CookieText[" + left + "]";
        }
    }
}
