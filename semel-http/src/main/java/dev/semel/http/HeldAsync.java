package dev.semel.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** An asynchronous request: when the application completes it, the record is finished first and the response sent then. */
final class HeldAsync implements AsyncContext {
    private final AsyncContext real;
    private final Handling handling;

    HeldAsync(AsyncContext real, Handling handling) {
        this.real = real;
        this.handling = handling;
        real.addListener(new SafetyNet());
    }

    boolean wraps(AsyncContext other) {
        return real == other;
    }

    @Override
    public ServletRequest getRequest() {
        return real.getRequest();
    }

    @Override
    public ServletResponse getResponse() {
        return real.getResponse();
    }

    @Override
    public boolean hasOriginalRequestAndResponse() {
        return real.hasOriginalRequestAndResponse();
    }

    @Override
    public void dispatch() {
        real.dispatch();
    }

    @Override
    public void dispatch(String path) {
        real.dispatch(path);
    }

    @Override
    public void dispatch(ServletContext context, String path) {
        real.dispatch(context, path);
    }

    @Override
    public void complete() {
        try {
            handling.completed();
        } finally {
            real.complete();
        }
    }

    @Override
    public void start(Runnable work) {
        real.start(() -> handling.within(work));
    }

    @Override
    public void addListener(AsyncListener listener) {
        real.addListener(new AnswerToProblem(listener));
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        real.addListener(new AnswerToProblem(listener), request, response);
    }

    @Override
    public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
        return real.createListener(type);
    }

    @Override
    public void setTimeout(long millis) {
        real.setTimeout(millis);
    }

    @Override
    public long getTimeout() {
        return real.getTimeout();
    }

    /** Whoever completes the request in a listener completes it here. */
    private final class AnswerToProblem implements AsyncListener {
        private final AsyncListener listener;

        AnswerToProblem(AsyncListener listener) {
            this.listener = listener;
        }

        private AsyncEvent event(AsyncEvent event) {
            return new AsyncEvent(
                    HeldAsync.this, event.getSuppliedRequest(), event.getSuppliedResponse(), event.getThrowable());
        }

        @Override
        public void onComplete(AsyncEvent event) throws IOException {
            listener.onComplete(event(event));
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            listener.onTimeout(event(event));
        }

        @Override
        public void onError(AsyncEvent event) throws IOException {
            listener.onError(event(event));
        }

        @Override
        public void onStartAsync(AsyncEvent event) throws IOException {
            listener.onStartAsync(event(event));
        }
    }

    /** A request that the container ended itself, by a time-out or an error that nobody handled. */
    private final class SafetyNet implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            handling.abandoned(event.getThrowable());
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // The application's listeners may still answer; if none does, the container ends the request.
        }

        @Override
        public void onError(AsyncEvent event) {
            handling.broken(event.getThrowable());
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // The new cycle has a net of its own.
        }
    }
}
