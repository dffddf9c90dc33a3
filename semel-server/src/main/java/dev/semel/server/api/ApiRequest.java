package dev.semel.server.api;

import dev.semel.Call;
import dev.semel.http.shared.RequestIds;
import dev.semel.server.access.Caller;
import dev.semel.server.access.Scope;
import dev.semel.server.routing.ServerChannels;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/** An authenticated request. */
record ApiRequest(HttpServletRequest http, Caller caller, RequestIds ids, ApiSettings settings) {
    private static final int CHUNK = 8 << 10;
    static final String JSON = "application/json";
    static final String LINES = "application/x-ndjson";

    /**
     * The channels of sources and destinations are the server's own: what comes by them was signed by a sender, or is signed for a
     * destination.
     *
     * @throws ApiProblem when no scope of the token allows it; the same whether or not anything of that name exists
     */
    void demand(Scope.Right right, String name) throws ApiProblem {
        if (!caller.may(right, name) || ServerChannels.isReserved(name)) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED,
                    "This token does not have the scope " + right.code() + " for this name. Nothing was done.");
        }
    }

    void demandMethod(String method) throws ApiProblem {
        if (!http.getMethod().equals(method)) {
            throw new ApiProblem(ApiCode.METHOD_NOT_ALLOWED, "Use " + method + ".").allowing(method);
        }
    }

    /** Without its parameters, in lower case. */
    String type() {
        String type = http.getContentType();
        return type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    void demandUncompressed() throws ApiProblem {
        String encoding = http.getHeader("Content-Encoding");
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new ApiProblem(ApiCode.TYPE_UNSUPPORTED, "Compressed bodies are not supported. Nothing was done.");
        }
    }

    /** The JSON object of the body. */
    JsonBody body() throws ApiProblem {
        demandUncompressed();
        if (!type().equals(JSON)) {
            throw new ApiProblem(
                    ApiCode.TYPE_UNSUPPORTED,
                    "Send the body as " + JSON + " and say so in Content-Type. Nothing was done.");
        }
        return StrictJson.object(bytes());
    }

    private byte[] bytes() throws ApiProblem {
        int limit = settings.largestBody();
        long declared = http.getContentLengthLong();
        if (declared > limit) {
            throw tooLarge(limit);
        }
        // Grows with what arrives: a declared length alone costs nothing.
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(CHUNK);
        try {
            InputStream in = http.getInputStream();
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

    /** Who asked, as the audit shows it. */
    Call.Origin origin() {
        Call.Origin origin = Call.Origin.UNSTATED
                .withCorrelationId(ids.correlation())
                .withRequestId(ids.request())
                .withActor(caller.name(), "service")
                .withSource("api");
        return ids.trace() == null ? origin : origin.withTraceId(ids.trace());
    }
}
