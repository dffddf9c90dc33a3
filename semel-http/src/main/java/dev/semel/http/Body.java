package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/** Reads a request's body once, bounded in memory and in length, so that it can be looked at and still be handed on. */
final class Body {
    static final int IN_MEMORY = 64 << 10;
    private static final int CHUNK = 8 << 10;
    private static final String PARSED = Body.class.getName() + ".parsed";

    private Body() {}

    /** The body ended before its declared length. */
    static final class Incomplete extends IOException {
        private static final long serialVersionUID = 1;

        Incomplete(IOException cause) {
            super("The request body ended early.", cause);
        }
    }

    /**
     * @throws Spool.Full when it is longer than the limit
     * @throws Incomplete when it is shorter than it says, or breaks off
     */
    static Spool read(HttpServletRequest request, long limit) throws IOException {
        long declared = request.getContentLengthLong();
        if (declared > limit) {
            throw new Spool.Full(limit);
        }
        Spool spool = new Spool(IN_MEMORY, limit);
        boolean whole = false;
        try {
            InputStream in = request.getInputStream();
            byte[] chunk = new byte[CHUNK];
            for (int read = next(in, chunk); read >= 0; read = next(in, chunk)) {
                spool.write(chunk, 0, read);
            }
            if (spool.size() == 0 && declared != 0 && SpooledRequest.isForm(request)) {
                parsed(request, spool);
            } else if (declared >= 0 && spool.size() < declared) {
                throw new Incomplete(new EOFException("declared " + declared + " bytes, sent " + spool.size()));
            }
            whole = true;
            return spool;
        } finally {
            if (!whole) {
                spool.close();
            }
        }
    }

    /** Whether somebody before the filter had the form parsed, so that the container alone has it. */
    static boolean wasParsed(HttpServletRequest request) {
        return request.getAttribute(PARSED) != null;
    }

    private static void parsed(HttpServletRequest request, Spool spool) throws IOException {
        request.setAttribute(PARSED, true);
        for (var parameter : new TreeMap<>(request.getParameterMap()).entrySet()) {
            for (String value : parameter.getValue()) {
                String pair = (spool.size() == 0 ? "" : "&")
                        + URLEncoder.encode(parameter.getKey(), StandardCharsets.UTF_8)
                        + "="
                        + URLEncoder.encode(value, StandardCharsets.UTF_8);
                byte[] bytes = pair.getBytes(StandardCharsets.US_ASCII);
                spool.write(bytes, 0, bytes.length);
            }
        }
    }

    private static int next(InputStream in, byte[] chunk) throws IOException {
        try {
            return in.read(chunk);
        } catch (IOException e) {
            throw new Incomplete(e);
        }
    }
}
