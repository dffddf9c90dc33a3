package dev.semel.server.api;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Random;

/** Carries half of the requests out and answers them 502, once it is switched on. */
final class LostReplies extends HttpFilter {
    private static final long serialVersionUID = 1;

    private final Random random = new Random(17);
    private volatile boolean on;

    void begin() {
        on = true;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!on || random.nextBoolean()) {
            chain.doFilter(request, response);
            return;
        }
        chain.doFilter(request, new HttpServletResponseWrapper(response) {
            @Override
            public ServletOutputStream getOutputStream() {
                return new Discarding();
            }

            @Override
            public void setContentLength(int length) {
                // The body is not sent.
            }
        });
        response.reset();
        response.setStatus(HttpServletResponse.SC_BAD_GATEWAY);
    }

    private static final class Discarding extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int b) {
            // Lost.
        }
    }
}
