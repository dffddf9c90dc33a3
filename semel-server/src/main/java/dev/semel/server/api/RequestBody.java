package dev.semel.server.api;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** Reads the body of a request, up to a limit. */
final class RequestBody {
    private static final int CHUNK = 8 << 10;

    private RequestBody() {}

    /** The type of a request's body without its parameters, in lower case. */
    static String type(HttpServletRequest request) {
        String type = request.getContentType();
        return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    static void demandUncompressed(HttpServletRequest request) throws ApiProblem {
        String encoding = request.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new ApiProblem(ApiCode.TYPE_UNSUPPORTED, "Compressed bodies are not supported. Nothing was done.");
        }
    }

    /** The JSON object of the body. */
    static JsonBody json(HttpServletRequest request, int limit) throws ApiProblem {
        demandUncompressed(request);
        if (!type(request).equals(ApiRequest.JSON)) {
            throw new ApiProblem(
                    ApiCode.TYPE_UNSUPPORTED,
                    "Send the body as " + ApiRequest.JSON + " and say so in Content-Type. Nothing was done.");
        }
        return StrictJson.object(bytes(request, limit));
    }

    private static byte[] bytes(HttpServletRequest request, int limit) throws ApiProblem {
        long declared = request.getContentLengthLong();
        if (declared > limit) {
            throw tooLarge(limit);
        }
        // Grows with what arrives: a declared length alone costs nothing.
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK);
        try {
            InputStream in = request.getInputStream();
            byte[] chunk = new byte[CHUNK];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                if (bytes.size() + read > limit) {
                    throw tooLarge(limit);
                }
                bytes.write(chunk, 0, read);
            }
        } catch (IOException e) {
            throw incomplete();
        }
        if (bytes.size() < declared) {
            throw incomplete();
        }
        return bytes.toByteArray();
    }

    static ApiProblem incomplete() {
        return new ApiProblem(
                ApiCode.BODY_INCOMPLETE, "The connection failed before the whole body had arrived. Nothing was done.");
    }

    static ApiProblem tooLarge(int limit) {
        return new ApiProblem(ApiCode.TOO_LARGE, "The body is larger than " + limit + " bytes. Nothing was done.");
    }
}
