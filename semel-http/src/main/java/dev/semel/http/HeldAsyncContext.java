package dev.semel.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** Finishes the record before the response is sent when the application completes an asynchronous request. */
final class HeldAsyncContext implements AsyncContext {
    private final AsyncContext real;
    private final GuardedRequest guarded;

    HeldAsyncContext(AsyncContext real, GuardedRequest guarded) {
        this.real = real;
        this.guarded = guarded;
        real.addListener(new AbandonedRequestListener());
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
            guarded.completed();
        } finally {
            real.complete();
        }
    }

    @Override
    public void start(Runnable work) {
        real.start(() -> guarded.within(work));
    }

    @Override
    public void addListener(AsyncListener listener) {
        real.addListener(new ForwardingListener(listener));
    }

    @Override
    public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
        real.addListener(new ForwardingListener(listener), request, response);
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

    /** Gives listeners this context, so that a listener that completes the request completes it here. */
    private final class ForwardingListener implements AsyncListener {
        private final AsyncListener listener;

        ForwardingListener(AsyncListener listener) {
            this.listener = listener;
        }

        private AsyncEvent event(AsyncEvent event) {
            return new AsyncEvent(
                    HeldAsyncContext.this,
                    event.getSuppliedRequest(),
                    event.getSuppliedResponse(),
                    event.getThrowable());
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

    /** Handles a request that the container ended itself, after a timeout or an unhandled error. */
    private final class AbandonedRequestListener implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            guarded.abandoned(event.getThrowable());
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            // The application's listeners may still answer; if none does, the container ends the request.
        }

        @Override
        public void onError(AsyncEvent event) {
            guarded.broken(event.getThrowable());
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // The new cycle has its own listener.
        }
    }
}
