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
 * A response that sends no byte until it is released. Status and headers go to the container's response, which is not committed
 * before; the body is spooled. Everything that the handler set can be reset.
 */
final class HeldResponse extends HttpServletResponseWrapper {
    /** Media types that a client reads while the server writes. */
    private static final List<String> STREAMS = List.of(
            "text/event-stream", "application/x-ndjson", "application/stream+json", "multipart/x-mixed-replace");

    private final HttpServletResponse real;
    private final Rule.Limits limits;
    private final String accepted;
    private final SpoolBuffer body;
    private final EarlierHeaders before;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private @Nullable String written;
    private @Nullable SentError error;
    private @Nullable IOException unwritten;
    private boolean closed;
    private boolean over;
    private boolean tooLarge;

    /** The arguments of {@code sendError}. */
    record SentError(int status, @Nullable String message) {}

    HeldResponse(HttpServletRequest request, HttpServletResponse response, Rule.Limits limits) {
        this(
                response,
                limits,
                String.join(",", Collections.list(request.getHeaders("Accept"))),
                new SpoolBuffer(limits.responseBytes(), limits.heldBytes()));
    }

    HeldResponse(HttpServletResponse response, Rule.Limits limits, SpoolBuffer body) {
        this(response, limits, "", body);
    }

    private HeldResponse(HttpServletResponse response, Rule.Limits limits, String accepted, SpoolBuffer body) {
        super(response);
        this.real = response;
        this.limits = limits;
        this.accepted = accepted.toLowerCase(Locale.ROOT);
        this.body = body;
        this.before = EarlierHeaders.of(response);
    }

    /** During an include, the container's wrapper. */
    @Override
    public ServletResponse getResponse() {
        ServletResponse inner = super.getResponse();
        return inner == real ? HiddenTomcatResponse.over(real) : inner;
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException(
                    "getOutputStream() failed: getWriter() was already called. Use one of" + " them.");
        }
        ServletOutputStream open = stream;
        if (open == null) {
            open = new HeldOutput();
            stream = open;
        }
        return open;
    }

    @Override
    public PrintWriter getWriter() {
        if (stream != null) {
            throw new IllegalStateException(
                    "getWriter() failed: getOutputStream() was already called. Use one of" + " them.");
        }
        PrintWriter open = writer;
        if (open == null) {
            String encoding = getCharacterEncoding();
            // Set explicitly: the container adds it to the content type only for its own writer.
            setCharacterEncoding(encoding);
            open = new PrintWriter(new OutputStreamWriter(new HeldOutput(), Charset.forName(encoding)));
            writer = open;
            written = encoding;
        }
        return open;
    }

    /** Ignored while a writer is in use: the writer keeps its encoding. */
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
     * Checks the type before the handler continues asynchronously. Until then a type from the Accept header is no sign of a
     * stream: frameworks set it for any object or text after the handler has returned.
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

    /** Restores the state before the handler. */
    @Override
    public void reset() {
        resetBuffer();
        super.reset();
        before.restore(real);
        anew();
    }

    /** Makes room for another writer. */
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
        error = new SentError(status, message);
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
     * Writes the body of an error that is to be stored. The container would write it too late.
     *
     * @param otherwise writes the body when the first writer calls {@code sendError} itself
     * @throws IOException also when the handler's body could not be held, which a writer does not report
     */
    void writeError(HttpServletRequest request, Hooks.Errors errors, Hooks.Errors otherwise)
            throws IOException, ServletException {
        SentError said = error;
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

    /** The whole body if it is in memory; otherwise null. */
    byte @Nullable [] content() {
        flushBuffer();
        return tooLarge ? null : body.small();
    }

    /** Whether the body is too large even for the first caller. */
    boolean isTooLargeToHold() {
        flushBuffer();
        return tooLarge;
    }

    /** Sends the held response. */
    void release() throws IOException {
        flushBuffer();
        over = true;
        try {
            SentError said = error;
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

    /** Drops the held response. */
    void discard() {
        if (!super.isCommitted()) {
            reset();
        }
        over = true;
        body.close();
    }

    /** Drops the held response after the container has responded. */
    void abandon() {
        over = true;
        body.close();
    }

    private final class HeldOutput extends ServletOutputStream {
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
