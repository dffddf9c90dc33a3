package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * By what a request is followed through logs, answers and audit: taken over from the caller when they are well-formed, and
 * made otherwise.
 *
 * @param correlation shared by everything that belongs together
 * @param request of this one request
 * @param trace of the distributed trace it is part of
 */
record Ids(String correlation, String request, @Nullable String trace) {
    static final String CORRELATION = "X-Correlation-ID";
    static final String REQUEST = "X-Request-ID";
    private static final String ATTRIBUTE = Ids.class.getName();
    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    static Ids of(HttpServletRequest request, HttpServletResponse response, Supplier<String> made) {
        if (request.getAttribute(ATTRIBUTE) instanceof Ids known) {
            return known;
        }
        String correlation = request.getHeader(CORRELATION);
        String own = request.getHeader(REQUEST);
        Ids ids = new Ids(
                KeyHeader.isValid(correlation) ? correlation : made.get(),
                KeyHeader.isValid(own) ? own : made.get(),
                trace(request.getHeader("traceparent")));
        request.setAttribute(ATTRIBUTE, ids);
        response.setHeader(CORRELATION, ids.correlation);
        response.setHeader(REQUEST, ids.request);
        return ids;
    }

    private static @Nullable String trace(@Nullable String header) {
        Matcher matcher = TRACEPARENT.matcher(header == null ? "" : header);
        return matcher.matches() ? matcher.group(1) : null;
    }
}
