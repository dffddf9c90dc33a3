package dev.semel.server.session;

import dev.semel.server.access.SecretDigest;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What a page sends in a header to show that it is one of ours: a page of another origin makes browsers send the cookie, and can neither
 * read this token nor send the header. It is derived from the session's token, so it is kept nowhere.
 */
final class CsrfToken {
    static final String HEADER = "X-CSRF-Token";
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private CsrfToken() {}

    static String of(String sessionToken) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(sessionToken.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] bytes = mac.doFinal("semel csrf token".getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java runtime has no HmacSHA256.", e);
        }
    }

    /** Why a request with a session's cookie is not accepted; null when it is. */
    static @Nullable String problem(HttpServletRequest request, String sessionToken) {
        if (READING.contains(request.getMethod())) {
            return null;
        }
        if (isFromAnotherSite(request)) {
            return "the request comes from a page of another site";
        }
        List<String> sent = Collections.list(request.getHeaders(HEADER));
        boolean right = sent.size() == 1 && SecretDigest.of(sent.get(0)).equals(SecretDigest.of(of(sessionToken)));
        return right ? null : "the header " + HEADER + " is missing or wrong";
    }

    /** As the browser says; programs say nothing. */
    static boolean isFromAnotherSite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        return site != null && !OWN_SITES.contains(site.toLowerCase(Locale.ROOT));
    }
}
