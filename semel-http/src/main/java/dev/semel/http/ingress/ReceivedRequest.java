package dev.semel.http.ingress;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A webhook as it came in: headers, and the raw bytes of its body. Whether the body is JSON or a form is decided by its bytes, which
 * are signed, and not by the Content-Type, which is not: otherwise whoever replays a request could choose its key.
 */
final class ReceivedRequest {
    private static final int MOST_FIELDS = 1_000;
    private static final char BOM = '\ufeff';
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .build();

    private final HttpServletRequest http;
    private final byte[] body;
    private final Instant received;
    private @Nullable String text;
    private @Nullable JsonNode json;
    private @Nullable Map<String, String> form;
    private final Map<String, JsonNode> jsonFields = new HashMap<>();

    ReceivedRequest(HttpServletRequest http, byte[] body, Instant received) {
        this.http = http;
        this.body = body;
        this.received = received;
    }

    byte[] body() {
        return body;
    }

    Instant received() {
        return received;
    }

    /** Absent when it was not sent or sent more than once, or has other than printable ASCII characters. */
    Optional<String> header(String name) {
        List<String> values = headers(name);
        return values.size() == 1 && isPrintable(values.get(0)) ? Optional.of(values.get(0)) : Optional.empty();
    }

    /** How often it was sent, counted up to two. */
    List<String> headers(String name) {
        Enumeration<String> all = http.getHeaders(name);
        List<String> values = new ArrayList<>(1);
        while (all.hasMoreElements() && values.size() < 2) {
            values.add(all.nextElement());
        }
        return values;
    }

    static boolean isPrintable(String value) {
        return value.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }

    /** The n-th part of the path behind the servlet's own, counted from 1. */
    Optional<String> pathPart(int n) {
        String path = http.getPathInfo();
        String[] parts = path == null ? new String[0] : path.substring(1).split("/", n + 1);
        return parts.length < n || parts[n - 1].isEmpty() ? Optional.empty() : Optional.of(parts[n - 1]);
    }

    /** Empty when the body is not an object or an array of JSON. */
    Optional<JsonNode> json() throws Refused {
        if (json == null && isJson()) {
            json = parsed(text());
        }
        return Optional.ofNullable(json);
    }

    /** The field of a form; empty when the body is JSON, or has no such field. */
    Optional<String> form(String name) throws Refused {
        if (isJson()) {
            return Optional.empty();
        }
        if (form == null) {
            form = fields(text());
        }
        return Optional.ofNullable(form.get(name));
    }

    /** The field of a form that holds JSON. */
    Optional<JsonNode> jsonInForm(String name) throws Refused {
        Optional<String> field = form(name);
        if (field.isEmpty()) {
            return Optional.empty();
        }
        JsonNode known = jsonFields.get(name);
        if (known == null) {
            known = parsed(field.get());
            jsonFields.put(name, known);
        }
        return Optional.of(known);
    }

    private boolean isJson() throws Refused {
        String whole = text();
        for (int i = 0; i < whole.length(); i++) {
            char c = whole.charAt(i);
            if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
                return c == '{' || c == '[';
            }
        }
        return false;
    }

    private String text() throws Refused {
        if (text == null) {
            try {
                String decoded = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(body))
                        .toString();
                text = !decoded.isEmpty() && decoded.charAt(0) == BOM ? decoded.substring(1) : decoded;
            } catch (CharacterCodingException e) {
                throw Refused.event("the body is not UTF-8");
            }
        }
        return text;
    }

    private static JsonNode parsed(String text) throws Refused {
        try {
            return JSON.readTree(text);
        } catch (JacksonException e) {
            throw Refused.event("the body is not well-formed JSON, or has a name twice in one object");
        }
    }

    private static Map<String, String> fields(String text) throws Refused {
        Map<String, String> fields = new HashMap<>();
        for (String pair : text.split("&", MOST_FIELDS + 1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
            if (fields.size() == MOST_FIELDS || fields.put(name, value) != null) {
                throw Refused.event("the form has a field twice, or more than " + MOST_FIELDS + " fields");
            }
        }
        return fields;
    }

    private static String decoded(String part) throws Refused {
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Refused.event("the form has an invalid percent escape");
        }
    }
}
