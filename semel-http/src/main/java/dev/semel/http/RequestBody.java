package dev.semel.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, read once with limits on memory and length, so that the handler can read it again.
 *
 * @param bytes the raw bytes; empty where the container has parsed the parts
 * @param parts the parts of a multipart body that the container has parsed; otherwise empty
 */
record RequestBody(SpoolBuffer bytes, Collection<Part> parts) implements AutoCloseable {
    static final int IN_MEMORY = 64 << 10;
    private static final int CHUNK = 8 << 10;
    private static final int DEEPEST = 32;
    private static final Pattern BOUNDARY =
            Pattern.compile(";\\s*boundary\\s*=\\s*\"?[^\";\\s]", Pattern.CASE_INSENSITIVE);
    private static final Pattern LOWER_CASE_BOUNDARY = Pattern.compile(";\\s*boundary\\s*=");
    private static final String PARSED = RequestBody.class.getName() + ".parsed";

    /** The body ended before its declared length, or in the middle of a part. */
    static final class Incomplete extends IOException {
        private static final long serialVersionUID = 1;

        Incomplete(IOException cause) {
            super("The request body is incomplete: " + cause.getMessage(), cause);
        }
    }

    /** The form cannot be decoded, or the Content-Type is not valid for a body. */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1;

        private final String fault;

        Malformed(String fault, @Nullable Throwable cause) {
            super("The request body cannot be read: " + fault, cause);
            this.fault = fault;
        }

        /** Fixed text, safe to send to the client. */
        String fault() {
            return fault;
        }
    }

    /**
     * @throws SpoolBuffer.LimitExceeded when it is longer than the limit
     * @throws Incomplete when it is shorter than its Content-Length, or the connection is closed early
     * @throws Malformed when it is a form that cannot be decoded, or its Content-Type or charset is not valid
     */
    static RequestBody read(HttpServletRequest request, Rule.Limits limits) throws IOException {
        long declared = declared(request);
        if (isRange(request.getContentType())) {
            throw new Malformed("the Content-Type contains a wildcard (*). Send the exact media type.", null);
        }
        if (isMultipart(request) && !BOUNDARY.matcher(request.getContentType()).find()) {
            throw new Malformed(
                    "the Content-Type multipart/form-data has no boundary parameter. Add the boundary that separates"
                            + " the parts.",
                    null);
        }
        boolean form = SpooledRequest.isFormType(request);
        long limit = form ? Math.min(limits.forms().bytes(), limits.requestBytes()) : limits.requestBytes();
        if (declared > limit) {
            throw new SpoolBuffer.LimitExceeded(limit);
        }
        SpoolBuffer spool = new SpoolBuffer(IN_MEMORY, limit);
        RequestBody whole = null;
        try {
            Collection<Part> parts = isMultipart(request) ? parts(request, limit) : null;
            if (parts == null) {
                fill(spool, request);
                if (form) {
                    FormFields.check(request, spool, limits.forms().fields());
                }
            }
            whole = new RequestBody(spool, parts == null ? List.of() : parts);
            return whole;
        } catch (UnsupportedCharsetException | IllegalCharsetNameException e) {
            throw new Malformed("the charset of the body is not supported.", e);
        } finally {
            if (whole == null) {
                spool.close();
            }
        }
    }

    /** Over HTTP/2 a request may declare two lengths; Tomcat then throws this exception. */
    private static long declared(HttpServletRequest request) throws Incomplete {
        try {
            return request.getContentLengthLong();
        } catch (IllegalArgumentException e) {
            throw new Incomplete(new IOException("more than one Content-Length", e));
        }
    }

    private static void fill(SpoolBuffer spool, HttpServletRequest request) throws IOException {
        long declared = request.getContentLengthLong();
        InputStream in = request.getInputStream();
        byte[] chunk = new byte[CHUNK];
        for (int read = next(in, chunk); read >= 0; read = next(in, chunk)) {
            spool.write(chunk, 0, read);
        }
        if (spool.size() == 0 && declared != 0 && SpooledRequest.isFormType(request)) {
            parsed(request, spool);
        } else if (spool.size() < declared) {
            throw new Incomplete(new EOFException("declared " + declared + " bytes, sent " + spool.size()));
        }
    }

    private static int next(InputStream in, byte[] chunk) throws IOException {
        try {
            return in.read(chunk);
        } catch (IOException e) {
            throw new Incomplete(e);
        }
    }

    /**
     * The parts as the container parses them, which works only before the body is read. Null where the servlet has no multipart
     * configuration: its handler reads the bytes itself.
     *
     * @throws Malformed when the container does not recognise the boundary: names of parameters are case-insensitive, but Jetty
     *     reads this one only in lower case
     */
    static @Nullable Collection<Part> parts(HttpServletRequest request, long limit)
            throws SpoolBuffer.LimitExceeded, Malformed {
        Collection<Part> parts;
        try {
            parts = request.getParts();
        } catch (IOException | ServletException | RuntimeException e) {
            if (isOverALimit(e)) {
                if (isBoundaryUnread(request, e)) {
                    throw new Malformed(
                            "this server reads the boundary parameter of the Content-Type only in lower case. Send"
                                    + " boundary=... instead.",
                            e);
                }
                throw new SpoolBuffer.LimitExceeded(limit);
            }
            return null;
        }
        if (parts.stream().mapToLong(Part::getSize).sum() > limit) {
            throw new SpoolBuffer.LimitExceeded(limit);
        }
        return parts;
    }

    /** Whether a limit of the container is exceeded. Without a cause the servlet only has no multipart configuration. */
    private static boolean isOverALimit(Throwable thrown) {
        boolean alone = thrown.getCause() == null;
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < DEEPEST; depth++) {
            if (current instanceof IllegalStateException) {
                return !alone;
            }
            current = current.getCause();
        }
        return false;
    }

    /** Jetty's exception for a boundary that it does not read has no cause; the one for a limit of Tomcat has. */
    private static boolean isBoundaryUnread(HttpServletRequest request, Throwable thrown) {
        Throwable root = thrown;
        for (int depth = 0; root.getCause() != null && depth < DEEPEST; depth++) {
            root = root.getCause();
        }
        return root instanceof IllegalStateException
                && !LOWER_CASE_BOUNDARY.matcher(request.getContentType()).find();
    }

    /** Frameworks fail on a wildcard, which would count against the route although the client is at fault. */
    private static boolean isRange(@Nullable String type) {
        return type != null && type.split(";", 2)[0].contains("*");
    }

    static boolean isMultipart(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /** Whether an earlier filter had the form parsed, so that only the container has its fields. */
    static boolean wasParsed(HttpServletRequest request) {
        return request.getAttribute(PARSED) != null;
    }

    /** Fills the buffer with the fields of a form that the container has parsed. */
    static void parsed(HttpServletRequest request, SpoolBuffer spool) throws IOException {
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

    @Override
    public void close() {
        bytes.close();
    }
}
