package dev.semel.http;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A request whose body is read, or partly read, before its handler. */
abstract class ReadRequest extends HttpServletRequestWrapper {
    private @Nullable ServletInputStream stream;
    private @Nullable BufferedReader reader;

    ReadRequest(HttpServletRequest request) {
        super(request);
    }

    /** The body from its beginning. */
    abstract InputStream open();

    /** Starts the body from its beginning. */
    void restart() {
        stream = null;
        reader = null;
    }

    @Override
    public ServletInputStream getInputStream() {
        ServletInputStream open = stream;
        if (open == null) {
            open = new BodyInput(open());
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
