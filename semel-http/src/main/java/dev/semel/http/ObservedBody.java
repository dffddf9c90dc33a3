package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request to a log-only route, read for its digest. The handler gets the same body, also one that is too large or
 * cannot be read: then the rest comes from the container as without the filter.
 */
final class ObservedBody implements AutoCloseable {
    private static final int CHUNK = 8 << 10;

    private final HttpServletRequest request;
    private final long limit;
    private final SpoolBuffer spool = new SpoolBuffer(RequestBody.IN_MEMORY, Long.MAX_VALUE);
    private Collection<Part> parts = List.of();
    private @Nullable InputStream rest;
    private boolean tooLarge;
    private boolean unreadable;

    private ObservedBody(HttpServletRequest request, long limit) {
        this.request = request;
        this.limit = limit;
    }

    static ObservedBody read(HttpServletRequest request, Rule.Limits limits) throws IOException {
        boolean form = SpooledRequest.isFormType(request);
        long limit = form ? Math.min(limits.forms().bytes(), limits.requestBytes()) : limits.requestBytes();
        ObservedBody body = new ObservedBody(request, limit);
        body.read(form);
        return body;
    }

    private void read(boolean form) throws IOException {
        try {
            if (request.getContentLengthLong() > limit) {
                tooLarge = true;
            } else if (form && "POST".equals(request.getMethod())) {
                // The container parses the form as it would without the filter.
                RequestBody.parsed(request, spool);
            } else {
                Collection<Part> parsed = RequestBody.isMultipart(request) ? RequestBody.parts(request, limit) : null;
                if (parsed == null) {
                    fill();
                } else {
                    parts = parsed;
                }
            }
        } catch (SpoolBuffer.LimitExceeded e) {
            tooLarge = true;
        } catch (RequestBody.Malformed | RuntimeException e) {
            unreadable = true;
        }
    }

    private void fill() throws IOException {
        InputStream in = request.getInputStream();
        // The handler reads on behind the limit, or gets the exception of the container again.
        rest = in;
        byte[] chunk = new byte[CHUNK];
        for (int read = next(in, chunk); read >= 0; read = tooLarge ? -1 : next(in, chunk)) {
            spool.write(chunk, 0, read);
            tooLarge = spool.size() > limit;
        }
    }

    private int next(InputStream in, byte[] chunk) {
        try {
            return in.read(chunk);
        } catch (IOException e) {
            unreadable = true;
            return -1;
        }
    }

    boolean isTooLarge() {
        return tooLarge;
    }

    /** Whether the container failed to read it, as it will for the handler. */
    boolean isUnreadable() {
        return unreadable;
    }

    /** @throws SpoolBuffer.LimitExceeded when a compressed body exceeds the limit after decompression */
    byte[] digest(Map<String, String> values) throws IOException {
        return RequestDigest.of(request, values, new RequestBody(spool, parts), limit);
    }

    /** The request for the handler: the original one where the container still has the body. */
    HttpServletRequest request() {
        InputStream behind = rest;
        if (behind == null) {
            return request;
        }
        return new ReadRequest(request) {
            @Override
            InputStream open() {
                return new SequenceInputStream(spool.read(), behind);
            }
        };
    }

    @Override
    public void close() {
        spool.close();
    }
}
