package dev.semel.http;

import dev.semel.SemelException;
import dev.semel.key.Keys;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The digest of a request in 32 bytes: the values of its path, its query sorted by name, and its body. JSON is normalised; all
 * other bodies count by their bytes. A gzipped body counts by its decompressed content, a multipart body by its parts. JSON larger
 * than a mebibyte, and a body that is not valid JSON, count by their bytes.
 */
final class RequestDigest {
    private static final int LARGEST_JSON = 1 << 20;
    private static final byte[] VERSION = {'h', 't', 't', 'p', 1};

    private final MessageDigest digest = sha256();

    private RequestDigest() {}

    /** @throws SpoolBuffer.LimitExceeded when a compressed body exceeds the limit after decompression */
    static byte[] of(HttpServletRequest request, Map<String, String> values, RequestBody body, long limit)
            throws IOException {
        RequestDigest made = new RequestDigest();
        made.part(VERSION);
        new TreeMap<>(values).forEach((name, value) -> {
            made.part(name);
            made.part(value);
        });
        made.part("?");
        query(request.getQueryString()).forEach(pair -> {
            made.part(pair.name);
            made.part(pair.value);
        });
        made.part("body");
        if (body.parts().isEmpty()) {
            made.body(request, body.bytes(), limit);
        } else {
            made.parts(body.parts());
        }
        return made.digest.digest();
    }

    private void body(HttpServletRequest request, SpoolBuffer body, long limit) throws IOException {
        boolean packed = "gzip".equalsIgnoreCase(request.getHeader("Content-Encoding"));
        try (SpoolBuffer unpacked = packed ? unpack(body, limit) : null) {
            SpoolBuffer meant = unpacked == null ? body : unpacked;
            String json = isJson(request.getContentType()) ? json(meant) : null;
            if (json != null) {
                part("json");
                part(json);
            } else {
                part("bytes");
                part(bytes(meant));
            }
        }
    }

    /** Without the boundary, which clients generate for each attempt. */
    private void parts(Collection<Part> parts) throws IOException {
        for (Part part : parts) {
            part(String.valueOf(part.getName()));
            part(String.valueOf(part.getSubmittedFileName()));
            part(String.valueOf(part.getContentType()));
            try (InputStream in = part.getInputStream()) {
                part(hash(in));
            }
        }
    }

    /** Null when the body is not gzip: then its bytes count. */
    private static @Nullable SpoolBuffer unpack(SpoolBuffer body, long limit) throws IOException {
        SpoolBuffer unpacked = new SpoolBuffer(RequestBody.IN_MEMORY, limit);
        try (InputStream in = new GZIPInputStream(body.read())) {
            byte[] chunk = new byte[8 << 10];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                unpacked.write(chunk, 0, read);
            }
            return unpacked;
        } catch (ZipException | EOFException e) {
            unpacked.close();
            return null;
        } catch (IOException e) {
            unpacked.close();
            throw e;
        }
    }

    private static @Nullable String json(SpoolBuffer body) throws IOException {
        if (body.size() == 0 || body.size() > LARGEST_JSON) {
            return null;
        }
        try (InputStream in = body.read()) {
            return Keys.jsonHash(in.readAllBytes()).text();
        } catch (SemelException.Invalid e) {
            return null;
        }
    }

    private static byte[] bytes(SpoolBuffer body) throws IOException {
        try (InputStream in = body.read()) {
            return hash(in);
        }
    }

    private static byte[] hash(InputStream in) throws IOException {
        MessageDigest content = sha256();
        byte[] chunk = new byte[8 << 10];
        for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            content.update(chunk, 0, read);
        }
        return content.digest();
    }

    static boolean isJson(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals("application/json") || type.endsWith("+json");
    }

    private record QueryParameter(String name, String value) {}

    /** Sorted by name; values of one name keep their order, which may be significant. */
    private static List<QueryParameter> query(@Nullable String query) {
        List<QueryParameter> pairs = new ArrayList<>();
        if (query != null) {
            for (String each : query.split("&")) {
                int equals = each.indexOf('=');
                pairs.add(
                        equals < 0
                                ? new QueryParameter(decoded(each), "")
                                : new QueryParameter(
                                        decoded(each.substring(0, equals)), decoded(each.substring(equals + 1))));
            }
        }
        pairs.sort(Comparator.comparing(QueryParameter::name));
        return pairs;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    private void part(String text) {
        part(text.getBytes(StandardCharsets.UTF_8));
    }

    private void part(byte[] bytes) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
