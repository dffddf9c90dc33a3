package dev.semel.server.listen;

import dev.semel.server.listen.BodyRule.AwaitedBody;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Awaits the body of a request before it is handled, so that a body that arrives slowly holds no thread. Bodies that are longer than what
 * is awaited are read by their handlers as they arrive; only some requests at a time may do so.
 */
final class BodyFirst extends Handler.Wrapper {
    /** Of the threads of the server, so many may read long bodies. */
    private static final int MOST_LONG_BODIES = 50;

    private final BodyRule rule;
    private final HeldBytes memory;
    private final Semaphore longBodies = new Semaphore(MOST_LONG_BODIES);
    private volatile Scheduler.@Nullable Task next;

    BodyFirst(Handler handler, BodyRule rule) {
        this(handler, rule, HeldBytes.usual());
    }

    BodyFirst(Handler handler, BodyRule rule, long most) {
        super(handler);
        this.rule = rule;
        this.memory = new HeldBytes(most);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (request.getLength() == 0
                || request.getLength() < 0 && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)) {
            return super.handle(request, response, callback);
        }
        AwaitedBody awaited = rule.of(request);
        if (awaited.isPassedAtOnce(request.getLength())) {
            return super.handle(request, response, callback);
        }
        ArrivingBody body = new ArrivingBody(request, awaited.bytes(), memory);
        Request.addCompletionListener(request, failure -> body.forget());
        Runnable later = () -> executor().execute(() -> handleLater(body, awaited, response, callback));
        if (body.begin(later)) {
            handleNow(body, awaited, response, callback);
        }
        return true;
    }

    private Executor executor() {
        Executor virtual = VirtualThreads.getVirtualThreadsExecutor(getServer().getThreadPool());
        return virtual == null ? getServer().getThreadPool() : virtual;
    }

    private void handleLater(ArrivingBody body, AwaitedBody awaited, Response response, Callback callback) {
        try {
            handleNow(body, awaited, response, callback);
        } catch (Exception | Error e) {
            Response.writeError(response.getRequest(), response, callback, e);
        }
    }

    private void handleNow(ArrivingBody body, AwaitedBody awaited, Response response, Callback callback)
            throws Exception {
        Request arrived = body.arrivedRequest();
        if (body.isIncomplete() && awaited.largest() > awaited.bytes()) {
            if (!longBodies.tryAcquire()) {
                response.getHeaders().put(HttpHeader.RETRY_AFTER, 5);
                response.setStatus(HttpStatus.SERVICE_UNAVAILABLE_503);
                response.write(true, null, callback);
                return;
            }
            Request.addCompletionListener(arrived, failure -> longBodies.release());
        }
        if (!super.handle(arrived, response, callback)) {
            Response.writeError(arrived, response, callback, HttpStatus.NOT_FOUND_404);
        }
    }

    HeldBytes memory() {
        return memory;
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        schedule();
    }

    @Override
    protected void doStop() throws Exception {
        Scheduler.Task task = next;
        if (task != null) {
            task.cancel();
        }
        super.doStop();
    }

    private void schedule() {
        next = getServer().getScheduler().schedule(this::sweep, 1, TimeUnit.SECONDS);
    }

    private void sweep() {
        try {
            memory.sweep(System.nanoTime());
        } finally {
            if (isRunning() || isStarting()) {
                schedule();
            }
        }
    }
}
