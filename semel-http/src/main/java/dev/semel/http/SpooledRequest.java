package dev.semel.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request whose body is already read, and whose asynchronous completion passes through the filter. */
final class SpooledRequest extends HttpServletRequestWrapper {
    private final RequestBody body;
    private final GuardedRequest guarded;
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable HeldAsyncContext async;

    SpooledRequest(HttpServletRequest request, RequestBody body, GuardedRequest guarded) {
        super(request);
        this.body = body;
        this.guarded = guarded;
    }

    /** Starts the body from its beginning. */
    void restart() {
        stream = null;
        reader = null;
    }

    @Override
    public ServletInputStream getInputStream() {
        ServletInputStream open = stream;
        if (open == null) {
            open = new BodyInput(body.bytes().read());
            stream = open;
        }
        return open;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        BufferedReader open = reader;
        if (open == null) {
            String encoding = getCharacterEncoding();
            Charset charset = encoding == null ? StandardCharsets.ISO_8859_1 : Charset.forName(encoding);
            open = new BufferedReader(new InputStreamReader(getInputStream(), charset));
            reader = open;
        }
        return open;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    /** The container cannot parse a form whose body is consumed; it knows only the query. */
    @Override
    public Map<String, String[]> getParameterMap() {
        Map<String, String[]> all = parameters;
        if (all == null) {
            all = isForm(this) && !RequestBody.wasParsed((HttpServletRequest) getRequest())
                    ? FormFields.merged(super.getParameterMap(), body.bytes(), getCharacterEncoding())
                    : super.getParameterMap();
            parameters = all;
        }
        return all;
    }

    /** Whether the container would turn the fields of the form into parameters. */
    private static boolean isForm(HttpServletRequest request) {
        return "POST".equals(request.getMethod()) && isFormType(request);
    }

    static boolean isFormType(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    @Override
    public boolean isAsyncSupported() {
        return guarded.mayBeAsynchronous() && super.isAsyncSupported();
    }

    @Override
    public AsyncContext startAsync() {
        return startAsync(this, guarded.held());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        if (!guarded.mayBeAsynchronous()) {
            throw new IllegalStateException(
                    "startAsync() failed: at level SPAN the transaction belongs to the request's thread. Use level"
                            + " MARKER for this route.");
        }
        guarded.held().beforeAsync();
        HeldAsyncContext started = new HeldAsyncContext(super.startAsync(request, response), guarded);
        guarded.goesOn();
        async = started;
        return started;
    }

    @Override
    public AsyncContext getAsyncContext() {
        AsyncContext real = super.getAsyncContext();
        HeldAsyncContext known = async;
        return known != null && known.wraps(real) ? known : real;
    }

    private final class BodyInput extends ServletInputStream {
        private final InputStream in;
        private boolean finished;

        BodyInput(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            finished = read < 0;
            return read;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int read = in.read(into, from, length);
            finished = read < 0;
            return read;
        }

        @Override
        public int available() throws IOException {
            return in.available();
        }

        @Override
        public boolean isFinished() {
            return finished;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        /** The whole body is available at once. */
        @Override
        public void setReadListener(ReadListener listener) {
            getAsyncContext().start(() -> {
                try {
                    listener.onDataAvailable();
                    if (finished) {
                        listener.onAllDataRead();
                    }
                } catch (IOException | RuntimeException e) {
                    listener.onError(e);
                }
            });
        }
    }
}
