package dev.semel.console.rest;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** Reads the JSON body of a request, up to a size. */
public record RequestBody(HttpServletRequest http, int largest) {
    public static final String JSON = "application/json";
    public static final String LINES = "application/x-ndjson";
    public static final String EVENTS = "text/event-stream";
    private static final int CHUNK = 8 << 10;

    /** The type of the body without its parameters, in lower case; empty when there is none. */
    public String type() {
        String type = http.getContentType();
        return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /** @throws ApiProblem when it is compressed */
    public void demandUncompressed() throws ApiProblem {
        String encoding = http.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new ApiProblem(ApiCode.TYPE_UNSUPPORTED, "Compressed bodies are not supported. Nothing was done.");
        }
    }

    /** @throws ApiProblem when it is of another type, or compressed */
    public void demandType(String wanted) throws ApiProblem {
        demandUncompressed();
        if (!type().equals(wanted)) {
            throw new ApiProblem(
                    ApiCode.TYPE_UNSUPPORTED,
                    "Send the body as " + wanted + " and say so in Content-Type. Nothing was done.");
        }
    }

    /** @throws ApiProblem when the body is not one JSON object, or too large */
    public JsonBody object() throws ApiProblem {
        demandType(JSON);
        return StrictJson.object(bytes());
    }

    private byte[] bytes() throws ApiProblem {
        long declared = http.getContentLengthLong();
        if (declared > largest) {
            throw tooLarge(largest);
        }
        // Grows with what arrives: a declared length alone costs nothing.
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK);
        try {
            InputStream in = http.getInputStream();
            byte[] chunk = new byte[CHUNK];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                if (bytes.size() + read > largest) {
                    throw tooLarge(largest);
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

    private static ApiProblem incomplete() {
        return new ApiProblem(
                ApiCode.BODY_INCOMPLETE, "The connection failed before the whole body had arrived. Nothing was done.");
    }

    private static ApiProblem tooLarge(int limit) {
        return new ApiProblem(ApiCode.TOO_LARGE, "The body is larger than " + limit + " bytes. Nothing was done.");
    }
}
