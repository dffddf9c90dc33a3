package dev.semel.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A response of which no byte leaves until it is released. Status and headers go to the container's response, which is never
 * committed meanwhile; the body is spooled. What the handler set can be taken back as a whole.
 */
final class HeldResponse extends HttpServletResponseWrapper {
    /** Responses that are to be read while they are written. */
    private static final List<String> STREAMS = List.of(
            "text/event-stream", "application/x-ndjson", "application/stream+json", "multipart/x-mixed-replace");

    private final HttpServletResponse real;
    private final Rule.Limits limits;
    private final String accepted;
    private final Spool body;
    private final EarlierHeaders before;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String written;
    private @Nullable Error error;
    private @Nullable IOException unwritten;
    private boolean closed;
    private boolean over;
    private boolean tooLarge;

    /** What {@code sendError} was told. */
    record Error(int status, @Nullable String message) {}

    HeldResponse(HttpServletRequest request, HttpServletResponse response, Rule.Limits limits) {
        this(
                response,
                limits,
                String.join(",", Collections.list(request.getHeaders("Accept"))),
                new Spool(limits.responseBytes(), limits.heldBytes()));
    }

    HeldResponse(HttpServletResponse response, Rule.Limits limits, Spool body) {
        this(response, limits, "", body);
    }

    private HeldResponse(HttpServletResponse response, Rule.Limits limits, String accepted, Spool body) {
        super(response);
        this.real = response;
        this.limits = limits;
        this.accepted = accepted.toLowerCase(Locale.ROOT);
        this.body = body;
        this.before = EarlierHeaders.of(response);
    }

    /** While something is included, the container's wrapper for that. */
    @Override
    public ServletResponse getResponse() {
        ServletResponse inner = super.getResponse();
        return inner == real ? Shield.over(real) : inner;
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getOutputStream() failed: getWriter() was already called. Use one of"
                    + " them.");
        }
        ServletOutputStream open = stream;
        if (open == null) {
            open = new Content();
            stream = open;
        }
        return open;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException("getWriter() failed: getOutputStream() was already called. Use one of"
                    + " them.");
        }
        PrintWriter open = writer;
        if (open == null) {
            String encoding = getCharacterEncoding();
            // Said aloud, because the container would add it to the content type only for a writer of its own.
            setCharacterEncoding(encoding);
            open = new PrintWriter(new OutputStreamWriter(new Content(), Charset.forName(encoding)));
            writer = open;
            written = encoding;
        }
        return open;
    }

    /** Not while a writer is in use: its bytes are in the encoding that it began with. */
    @Override
    public void setCharacterEncoding(@Nullable String encoding) {
        if (writer == null) {
            super.setCharacterEncoding(encoding);
        }
    }

    @Override
    public void setContentType(@Nullable String type) {
        String stream = type == null ? null : stream(type);
        if (stream != null && !accepted.contains(stream)) {
            refuseStream(type);
        }
        super.setContentType(type);
        if (writer != null && type != null) {
            super.setCharacterEncoding(written);
        }
    }

    /**
     * Before the handler goes on asynchronously. A type that the caller asked for is no sign of a stream so far: frameworks give
     * any object or text the type that Accept names, after the handler has acted.
     */
    void beforeAsync() {
        String type = getContentType();
        if (type != null && stream(type) != null) {
            refuseStream(type);
        }
    }

    private void refuseStream(@Nullable String type) {
        if (!limits.holdsStreams()) {
            throw new IllegalStateException("The handler responds with " + type
                    + ", a streaming type, but a response under an Idempotency-Key is held until its record is"
                            + " finished. Exempt the route (Rule.off(), @Idempotent(header = OFF)), or hold its streams"
                            + " (Rule.withHeldStreams(), semel.http.tuning.responses.hold-streams=true).");
        }
    }

    static boolean isStream(String type) {
        return stream(type) != null;
    }

    private static @Nullable String stream(String type) {
        String lower = type.toLowerCase(Locale.ROOT);
        return STREAMS.stream().filter(lower::startsWith).findFirst().orElse(null);
    }

    @Override
    public void flushBuffer() {
        if (writer != null) {
            writer.flush();
        }
    }

    @Override
    public boolean isCommitted() {
        return over || super.isCommitted();
    }

    @Override
    public void setBufferSize(int size) {
        // Everything is held anyway.
    }

    @Override
    public void resetBuffer() {
        flushBuffer();
        unwritten = null;
        tooLarge = false;
        try {
            body.clear();
        } catch (IOException e) {
            throw new IllegalStateException("Clearing the held response failed: " + e.getMessage(), e);
        }
    }

    /** As the filter found it. */
    @Override
    public void reset() {
        resetBuffer();
        super.reset();
        before.restore(real);
        anew();
    }

    /** For whoever writes instead of the handler. */
    private void anew() {
        stream = null;
        writer = null;
        error = null;
        closed = false;
    }

    @Override
    public void setContentLength(int length) {
        // Known when the response is released.
    }

    @Override
    public void setContentLengthLong(long length) {
        // Known when the response is released.
    }

    @Override
    public void setHeader(String name, String value) {
        if (name.equalsIgnoreCase("Content-Type")) {
            setContentType(value);
        } else if (!name.equalsIgnoreCase("Content-Length")) {
            super.setHeader(name, value);
        }
    }

    @Override
    public void addHeader(String name, String value) {
        if (name.equalsIgnoreCase("Content-Type")) {
            setContentType(value);
        } else if (!name.equalsIgnoreCase("Content-Length")) {
            super.addHeader(name, value);
        }
    }

    @Override
    public void setIntHeader(String name, int value) {
        setHeader(name, Integer.toString(value));
    }

    @Override
    public void addIntHeader(String name, int value) {
        addHeader(name, Integer.toString(value));
    }

    @Override
    public void sendError(int status) {
        refuse(status, null);
    }

    @Override
    public void sendError(int status, String message) {
        refuse(status, message);
    }

    private void refuse(int status, @Nullable String message) {
        resetBuffer();
        setStatus(status);
        error = new Error(status, message);
        closed = true;
    }

    @Override
    public void sendRedirect(String location) {
        sendRedirect(location, SC_FOUND, true);
    }

    /** An override where the container has Servlet 6.1. */
    public void sendRedirect(String location, int status, boolean clear) {
        if (clear) {
            resetBuffer();
        }
        setStatus(status);
        setHeader("Location", location);
        closed = true;
    }

    /**
     * Writes the body of an error that is to be kept, which the container would write too late.
     *
     * @param otherwise writes it where the first gives an error of its own instead
     * @throws IOException also when not all of the handler's body could be held, which a writer tells nobody
     */
    void writeError(HttpServletRequest request, Hooks.Errors errors, Hooks.Errors otherwise)
            throws IOException, ServletException {
        Error said = error;
        if (said != null) {
            anew();
            errors.write(request, this, said.status, said.message);
            if (error != null) {
                resetBuffer();
                anew();
                setStatus(said.status);
                otherwise.write(request, this, said.status, said.message);
            }
        }
        flushBuffer();
        if (unwritten != null) {
            throw unwritten;
        }
    }

    long size() {
        flushBuffer();
        return body.size();
    }

    /** The whole body, if it is small enough to be in memory. */
    byte @Nullable [] content() {
        flushBuffer();
        return tooLarge ? null : body.small();
    }

    /** Whether not even the first caller can be given the body. */
    boolean isTooLargeToHold() {
        flushBuffer();
        return tooLarge;
    }

    /** Sends what was held. */
    void release() throws IOException {
        flushBuffer();
        over = true;
        try {
            Error said = error;
            if (said != null && said.message != null) {
                real.sendError(said.status, said.message);
            } else if (said != null) {
                real.sendError(said.status);
            } else if (tooLarge) {
                Snapshot.withoutBody(real, getStatus());
            } else if (getStatus() != SC_NO_CONTENT && getStatus() != SC_NOT_MODIFIED) {
                real.setContentLengthLong(body.size());
                try (InputStream in = body.read()) {
                    in.transferTo(real.getOutputStream());
                }
            }
        } finally {
            body.close();
        }
    }

    /** Nothing of it is sent. */
    void discard() {
        if (!super.isCommitted()) {
            reset();
        }
        over = true;
        body.close();
    }

    /** Somebody else has answered. */
    void abandon() {
        over = true;
        body.close();
    }

    private final class Content extends ServletOutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (over) {
                throw new IOException("Write failed: the response has already been sent.");
            }
            if (closed || tooLarge) {
                return;
            }
            try {
                if (length > limits.heldBytes() - body.size()) {
                    tooLarge = true;
                    body.clear();
                } else {
                    body.write(bytes, from, length);
                }
            } catch (IOException e) {
                unwritten = new IOException("Holding the response failed: " + e.getMessage(), e);
                throw unwritten;
            }
        }

        @Override
        public boolean isReady() {
            return true;
        }

        /** There is always room. */
        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                listener.onWritePossible();
            } catch (IOException | RuntimeException e) {
                listener.onError(e);
            }
        }
    }
}
