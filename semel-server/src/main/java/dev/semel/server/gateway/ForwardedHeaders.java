package dev.semel.server.gateway;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.shared.RequestIds;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.session.SessionCookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;

/**
 * Which headers pass the gateway.
 *
 * <p><b>To the API</b> go all but: those of one connection, and those that Connection names; Host, Content-Length and Expect, which the
 * client of the gateway sets; those by which a request claims another method, path or origin than it has; a token or the cookie of a session of this server; and
 * the caller's key, in place of which the API gets a key that is derived from the record.
 *
 * <p><b>To the caller</b> go all but those of one connection, and those that the server sets itself. A page of the API is not part of
 * this server's site: browsers give it no cookies and no access to what an operator is logged in to.
 */
final class ForwardedHeaders {
    private static final String KEY = "Idempotency-Key";
    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings");
    private static final Set<String> NOT_SENT = Set.of(
            "host",
            "content-length",
            "expect",
            "idempotency-key",
            "forwarded",
            "x-real-ip",
            "x-original-url",
            "x-original-uri",
            "x-rewrite-url",
            "x-http-method",
            "x-http-method-override",
            "x-method-override",
            "x-request-id",
            "x-correlation-id");
    private static final Set<String> NOT_RETURNED = Set.of(
            "content-length",
            "date",
            "idempotency-replayed",
            "idempotency-shadowed",
            "x-request-id",
            "x-correlation-id");

    private ForwardedHeaders() {}

    /** The headers of the request to the API. */
    static HttpFields toApi(GatewayConfig config, HttpServletRequest request) {
        HttpFields.Mutable headers = HttpFields.build();
        Set<String> dropped = named(Collections.list(request.getHeaders("Connection")).stream());
        for (String name : Collections.list(request.getHeaderNames())) {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean token = config.callers().open() == null && lower.equals("authorization");
            if (!token
                    && !dropped.contains(lower)
                    && !HOP_BY_HOP.contains(lower)
                    && !NOT_SENT.contains(lower)
                    && !lower.startsWith("x-forwarded-")) {
                Collections.list(request.getHeaders(name)).stream()
                        .map(value -> lower.equals("cookie") ? SessionCookie.without(value) : value)
                        .filter(value -> !value.isEmpty() || !lower.equals("cookie"))
                        .forEach(value -> headers.add(name, value));
            }
        }
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        headers.put(RequestIds.CORRELATION, ids.correlation());
        headers.put("X-Request-ID", ids.request());
        headers.put("X-Forwarded-For", request.getRemoteAddr());
        headers.put("X-Forwarded-Proto", request.isSecure() ? "https" : "http");
        config.upstream().headers().forEach(headers::put);
        IdempotentExchange.of(request)
                .flatMap(IdempotentExchange::downstreamKey)
                .ifPresent(key -> headers.put(KEY, key));
        return headers;
    }

    /** Copies the headers of an answer. */
    static void toCaller(HttpFields headers, HttpServletResponse response) {
        Set<String> dropped = named(headers.getValuesList("Connection").stream());
        for (HttpField field : headers) {
            String lower = field.getLowerCaseName();
            if (field.getValue() != null
                    && !dropped.contains(lower)
                    && !HOP_BY_HOP.contains(lower)
                    && !NOT_RETURNED.contains(lower)
                    && !(lower.equals("set-cookie") && SessionCookie.isSetBy(field.getValue()))) {
                response.addHeader(field.getName(), field.getValue());
            }
        }
        response.addHeader("Content-Security-Policy", "sandbox");
    }

    private static Set<String> named(Stream<String> connection) {
        Set<String> names = new HashSet<>();
        connection
                .flatMap(value -> Stream.of(value.split(",")))
                .map(name -> name.strip().toLowerCase(Locale.ROOT))
                .forEach(names::add);
        return names;
    }
}
