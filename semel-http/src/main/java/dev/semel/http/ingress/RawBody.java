package dev.semel.http.ingress;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The raw bytes of a body, read with a limit whether or not the request declares a length. */
final class RawBody {
    private static final int CHUNK = 8 << 10;

    private RawBody() {}

    static byte[] read(HttpServletRequest request, int limit) throws Refused {
        long declared;
        try {
            declared = request.getContentLengthLong();
        } catch (IllegalArgumentException e) {
            // Over HTTP/2 a request may declare two lengths; Tomcat then throws this exception.
            throw new Refused(IngressCode.BODY_INCOMPLETE, "more than one Content-Length");
        }
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
        } catch (IOException | IllegalStateException e) {
            throw new Refused(
                    IngressCode.BODY_INCOMPLETE,
                    "reading it failed, or a filter in front of the servlet has read it ("
                            + e.getClass().getName() + ")");
        }
        if (bytes.size() < declared) {
            throw new Refused(
                    IngressCode.BODY_INCOMPLETE,
                    bytes.size() == 0
                            ? "none of " + declared
                                    + " bytes are left: a filter in front of the servlet has read the body or"
                                    + " its form parameters. Place the servlet before it"
                            : "declared " + declared + " bytes, received " + bytes.size());
        }
        return bytes.toByteArray();
    }

    private static Refused tooLarge(int limit) {
        return new Refused(
                IngressCode.TOO_LARGE,
                "the body is larger than " + limit + " bytes; raise WebhookSource.withLargestBody, and"
                        + " Semel.Settings.withLargestValue to half as much again");
    }
}
