package dev.semel.http.shared;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The ids of a request in logs, responses and audit: those of the caller when they are well-formed, otherwise generated.
 *
 * @param correlation shared by all requests that belong together
 * @param request the id of this request
 * @param trace the id of its distributed trace
 */
public record RequestIds(
        String correlation, String request, @Nullable String trace) {
    public static final String CORRELATION = "X-Correlation-ID";
    public static final String REQUEST = "X-Request-ID";
    private static final String ATTRIBUTE = RequestIds.class.getName();
    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    /** @param made makes an id where the caller has sent none */
    public static RequestIds of(HttpServletRequest request, Supplier<String> made) {
        if (request.getAttribute(ATTRIBUTE) instanceof RequestIds known) {
            return known;
        }
        String correlation = request.getHeader(CORRELATION);
        String own = request.getHeader(REQUEST);
        RequestIds ids = new RequestIds(
                HeaderToken.isValid(correlation) ? correlation : made.get(),
                HeaderToken.isValid(own) ? own : made.get(),
                trace(request.getHeader("traceparent")));
        request.setAttribute(ATTRIBUTE, ids);
        return ids;
    }

    /** Returns them to the caller. */
    public void show(HttpServletResponse response) {
        response.setHeader(CORRELATION, correlation);
        response.setHeader(REQUEST, request);
    }

    private static @Nullable String trace(@Nullable String header) {
        Matcher matcher = TRACEPARENT.matcher(header == null ? "" : header);
        return matcher.matches() ? matcher.group(1) : null;
    }
}
