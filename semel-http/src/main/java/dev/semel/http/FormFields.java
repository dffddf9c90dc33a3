package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a form whose body the filter has read, so that the container cannot parse it. */
final class FormFields {
    private FormFields() {}

    /**
     * Checks the form before anything is stored: a form that no framework can decode is the client's fault.
     *
     * @throws SpoolBuffer.LimitExceeded when there are too many fields
     * @throws RequestBody.Malformed when the fields, or those of the query, cannot be decoded
     */
    static void check(HttpServletRequest request, SpoolBuffer body, int most) throws IOException {
        int fields;
        try {
            charset(request.getCharacterEncoding());
            fields = count(body);
            if (fields <= most) {
                // The body is consumed; the container parses the query, and may reject it.
                fields += RequestBody.wasParsed(request)
                        ? 0
                        : request.getParameterMap().size();
            }
        } catch (RuntimeException e) {
            throw new RequestBody.Malformed(
                    "the form cannot be decoded: invalid percent escape or unsupported charset.", e);
        }
        if (fields > most) {
            throw new SpoolBuffer.LimitExceeded(most, "form fields");
        }
    }

    private static int count(SpoolBuffer body) throws IOException {
        if (body.size() == 0) {
            return 0;
        }
        int fields = 1;
        try (InputStream in = new BufferedInputStream(body.read())) {
            for (int each = in.read(); each >= 0; each = in.read()) {
                if (each == '&') {
                    fields++;
                } else if (each == '%' && (isNoDigit(in.read()) || isNoDigit(in.read()))) {
                    throw new IllegalArgumentException("a percent sign that is not followed by two hexadecimal digits");
                }
            }
        }
        return fields;
    }

    private static boolean isNoDigit(int each) {
        return each < 0 || Character.digit(each, 16) < 0;
    }

    private static Charset charset(@Nullable String encoding) {
        return encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
    }

    /** The fields of the query and of the body. */
    static Map<String, String[]> merged(Map<String, String[]> query, SpoolBuffer body, @Nullable String encoding) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        query.forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
        Charset charset = charset(encoding);
        try (InputStream in = body.read()) {
            String form = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            for (String pair : form.split("&")) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                if (!pair.isEmpty()) {
                    all.computeIfAbsent(URLDecoder.decode(name, charset), n -> new ArrayList<>())
                            .add(URLDecoder.decode(value, charset));
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalStateException("Decoding the form in the request body failed.", e);
        }
        Map<String, String[]> merged = new LinkedHashMap<>();
        all.forEach((name, values) -> merged.put(name, values.toArray(new String[0])));
        return Collections.unmodifiableMap(merged);
    }
}
