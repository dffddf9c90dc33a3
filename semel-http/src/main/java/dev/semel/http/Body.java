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
import org.jspecify.annotations.Nullable;

/**
 * A request's body, read once, bounded in memory and in length, so that it can be looked at and still be handed on.
 *
 * @param bytes as they came; empty where the container has taken the body apart itself
 * @param parts of a multipart body, which the container took apart; otherwise empty
 */
record Body(Spool bytes, Collection<Part> parts) implements AutoCloseable {
    static final int IN_MEMORY = 64 << 10;
    private static final int CHUNK = 8 << 10;
    private static final int DEEPEST = 32;
    private static final String PARSED = Body.class.getName() + ".parsed";

    /** The body ended before its declared length, or in the middle of a part. */
    static final class Incomplete extends IOException {
        private static final long serialVersionUID = 1;

        Incomplete(IOException cause) {
            super("The request body ended early.", cause);
        }
    }

    /** A form that nobody can read, or a body whose type or charset is none. */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1;

        Malformed(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * @throws Spool.Full when it is longer than the limit
     * @throws Incomplete when it is shorter than it says, or breaks off
     * @throws Malformed when it is a form that cannot be read, or of a type or in a charset that is none
     */
    static Body read(HttpServletRequest request, Rule.Limits limits) throws IOException {
        long declared = declared(request);
        if (isRange(request.getContentType())) {
            throw new Malformed("The Content-Type has a wildcard, so it is not the type of a body.", null);
        }
        boolean form = SpooledRequest.isFormType(request);
        long limit = form ? Math.min(limits.forms().bytes(), limits.requestBytes()) : limits.requestBytes();
        if (declared > limit) {
            throw new Spool.Full(limit);
        }
        Spool spool = new Spool(IN_MEMORY, limit);
        Body whole = null;
        try {
            Collection<Part> parts = isMultipart(request) ? parts(request, limit) : null;
            if (parts == null) {
                fill(spool, request);
                if (form) {
                    FormFields.check(request, spool, limits.forms().fields());
                }
            }
            whole = new Body(spool, parts == null ? List.of() : parts);
            return whole;
        } catch (UnsupportedCharsetException | IllegalCharsetNameException e) {
            throw new Malformed("The body is in a charset that is not known.", e);
        } finally {
            if (whole == null) {
                spool.close();
            }
        }
    }

    /** Over HTTP/2 a request may name two lengths, which Tomcat tells by this exception. */
    private static long declared(HttpServletRequest request) throws Incomplete {
        try {
            return request.getContentLengthLong();
        } catch (IllegalArgumentException e) {
            throw new Incomplete(new IOException("more than one Content-Length", e));
        }
    }

    private static void fill(Spool spool, HttpServletRequest request) throws IOException {
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
     * Taken apart by the container, because it does so only before anybody has read the body. Nothing where the handler is not
     * set up for that and reads the bytes itself.
     */
    private static @Nullable Collection<Part> parts(HttpServletRequest request, long limit) throws Spool.Full {
        Collection<Part> parts;
        try {
            parts = request.getParts();
        } catch (IOException | ServletException | RuntimeException e) {
            if (isOverALimit(e)) {
                throw new Spool.Full(limit);
            }
            return null;
        }
        if (parts.stream().mapToLong(Part::getSize).sum() > limit) {
            throw new Spool.Full(limit);
        }
        return parts;
    }

    /** Of the container's own. Without a cause it only says that the handler is not set up for parts. */
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

    /** Frameworks fail on it, which would count against the route although the client is at fault. */
    private static boolean isRange(@Nullable String type) {
        return type != null && type.split(";", 2)[0].contains("*");
    }

    private static boolean isMultipart(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
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

    @Override
    public void close() {
        bytes.close();
    }
}
