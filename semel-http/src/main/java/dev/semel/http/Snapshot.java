package dev.semel.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A response as the ledger stores it: one line of JSON, followed by the bytes of the body.
 *
 * @param body null when it was too large to be stored
 * @param requestId the id of the first request
 */
record Snapshot(int status, List<Map.Entry<String, String>> headers, byte @Nullable [] body, String requestId) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /**
     * The part of a held response that is stored.
     *
     * @param largest the largest body that is stored
     * @param names the headers that are stored
     */
    static Snapshot of(HeldResponse held, int largest, List<String> names, String requestId) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        for (String name : names) {
            if (name.equalsIgnoreCase("Content-Type")) {
                if (held.getContentType() != null) {
                    headers.add(Map.entry(name, held.getContentType()));
                }
            } else {
                held.getHeaders(name).forEach(value -> headers.add(Map.entry(name, value)));
            }
        }
        byte[] body = held.size() <= largest ? held.content() : null;
        return new Snapshot(held.getStatus(), headers, body, requestId);
    }

    byte[] encode() {
        ObjectNode head = JSON.createObjectNode();
        head.put("v", 1).put("status", status).put("request_id", requestId).put("body", body != null);
        ArrayNode all = head.putArray("headers");
        headers.forEach(header -> all.addArray().add(header.getKey()).add(header.getValue()));
        byte[] line = JSON.writeValueAsBytes(head);
        int length = body == null ? 0 : body.length;
        byte[] whole = Arrays.copyOf(line, line.length + 1 + length);
        whole[line.length] = '\n';
        if (body != null) {
            System.arraycopy(body, 0, whole, line.length + 1, length);
        }
        return whole;
    }

    /** @throws IOException when the bytes are not a response: the operation was also used outside this filter */
    static Snapshot decode(byte[] whole) throws IOException {
        int end = 0;
        while (end < whole.length && whole[end] != '\n') {
            end++;
        }
        try {
            JsonNode head = JSON.readTree(whole, 0, end);
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (JsonNode header : head.get("headers")) {
                headers.add(Map.entry(header.get(0).stringValue(), header.get(1).stringValue()));
            }
            byte[] body = head.get("body").booleanValue() ? Arrays.copyOfRange(whole, end + 1, whole.length) : null;
            return new Snapshot(
                    head.get("status").intValue(),
                    headers,
                    body,
                    head.get("request_id").stringValue());
        } catch (JacksonException | NullPointerException e) {
            throw new IOException(
                    "The stored result of this request is not an HTTP response: the operation name was"
                            + " also used outside the filter.",
                    e);
        }
    }

    Snapshot withoutBody() {
        return new Snapshot(status, headers, null, requestId);
    }

    void replay(HttpServletResponse response) throws IOException {
        response.setHeader("Idempotency-Replayed", "true");
        send(response);
    }

    void send(HttpServletResponse response) throws IOException {
        Set<String> seen = new HashSet<>();
        headers.forEach(header -> {
            if (header.getKey().equalsIgnoreCase("Content-Type")) {
                response.setContentType(header.getValue());
            } else if (seen.add(header.getKey())) {
                // An earlier filter may have set the header for this request; the stored value replaces it.
                response.setHeader(header.getKey(), header.getValue());
            } else {
                response.addHeader(header.getKey(), header.getValue());
            }
        });
        if (body == null) {
            response.setHeader("Idempotency-Replayed", "true");
            withoutBody(response, status);
            return;
        }
        response.setStatus(status);
        if (status != HttpServletResponse.SC_NO_CONTENT && status != HttpServletResponse.SC_NOT_MODIFIED) {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    /** The response to a request that is done but whose response was not stored. */
    static void notKept(HttpServletResponse response) {
        response.setHeader("Idempotency-Replayed", "true");
        withoutBody(response, ProblemCode.RESPONSE_NOT_KEPT.status());
    }

    /** @param status the status of the missing body; an error keeps its own */
    static void withoutBody(HttpServletResponse response, int status) {
        response.setContentType(null);
        response.setStatus(
                status >= HttpServletResponse.SC_BAD_REQUEST ? status : ProblemCode.RESPONSE_NOT_KEPT.status());
        response.setHeader("Idempotency-Notice", ProblemCode.RESPONSE_NOT_KEPT.code());
        response.setContentLength(0);
    }
}
