package dev.semel.server.delivery;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a delivery: those of the webhook that may be passed on, those that the operator configured, and those that Semel sets.
 * A later one replaces an earlier one of the same name.
 *
 * <p><b>What is passed on.</b> Only headers that its source keeps, and of these:
 *
 * <ul>
 *   <li>names that begin with {@code X-} or {@code Ce-} (CloudEvents), and {@code Traceparent}, {@code Tracestate},
 *       {@code Content-Language} and {@code Content-Encoding};
 *   <li>but none that speaks of credentials (auth, token, secret, password, key, cookie, session), and none that tells proxies and servers
 *       whom or what a request is for ({@code X-Forwarded-...}, {@code X-Real-Ip}, {@code X-Original-...}, {@code X-Rewrite-...},
 *       {@code X-Http-Method...}, {@code X-Correlation-Id});
 *   <li>with a value of printable ASCII characters.
 * </ul>
 *
 * So Host, Content-Length, Transfer-Encoding, Connection, Authorization, Cookie and the sender's own signature by Standard Webhooks are
 * never passed on.
 */
final class RequestHeaders {
    static final String KEY = "Idempotency-Key";
    static final String FENCE = "Semel-Fence";
    static final String ATTEMPT = "Semel-Attempt";
    static final String CORRELATION = "X-Correlation-ID";
    static final String CONTENT_TYPE = "Content-Type";

    private static final Pattern PASSED =
            Pattern.compile("(?:x|ce)-[a-z0-9._-]+|traceparent|tracestate|content-language|content-encoding");
    private static final Pattern NOT_PASSED = Pattern.compile(
            ".*(?:auth|token|secret|passw|key|cookie|session|credential).*|x-(?:forwarded|real-ip|original|rewrite|http-method"
                    + "|correlation-id).*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");

    /** Those that HTTP needs for itself, and those that Semel sets. */
    private static final Set<String> NOT_CONFIGURED = Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "te",
            "trailer",
            "upgrade",
            "expect",
            "proxy-connection",
            KEY.toLowerCase(Locale.ROOT),
            FENCE.toLowerCase(Locale.ROOT),
            ATTEMPT.toLowerCase(Locale.ROOT),
            CORRELATION.toLowerCase(Locale.ROOT),
            StandardSigner.ID,
            StandardSigner.TIMESTAMP,
            StandardSigner.SIGNATURE);

    private RequestHeaders() {}

    /** @throws SemelException.Misconfigured naming every header that may not be configured, without its value */
    static void demandConfigurable(String destination, Map<String, String> configured) {
        List<String> faults = new ArrayList<>();
        configured.forEach((name, value) -> {
            if (!NAME.matcher(name).matches()) {
                faults.add("the header name \"" + name + "\" is not valid");
            } else if (NOT_CONFIGURED.contains(name.toLowerCase(Locale.ROOT))) {
                faults.add("the header " + name + " is set by Semel or by HTTP itself: remove it");
            } else if (!isPrintable(value)) {
                faults.add("the value of the header " + name + " has other than printable ASCII characters");
            }
        });
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("destination " + destination, faults);
        }
    }

    /** The headers of a webhook that may be passed on, and its content type. */
    static HttpFields.Mutable passedOn(@Nullable String contentType, Map<String, String> kept) {
        HttpFields.Mutable headers = HttpFields.build();
        kept.forEach((name, value) -> {
            if (isPassedOn(name) && isPrintable(value)) {
                headers.put(name, value);
            }
        });
        if (contentType != null && isPrintable(contentType)) {
            headers.put(CONTENT_TYPE, contentType);
        }
        return headers;
    }

    static boolean isPassedOn(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return PASSED.matcher(lower).matches() && !NOT_PASSED.matcher(lower).matches();
    }

    static boolean isPrintable(String value) {
        return !value.isEmpty() && value.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
