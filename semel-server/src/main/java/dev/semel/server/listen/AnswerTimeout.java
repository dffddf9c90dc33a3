package dev.semel.server.listen;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose clients read an answer too slowly. Only the time of writes that wait for the client counts: an answer that
 * has nothing to say for a while, such as a stream of events, is not slow.
 */
final class AnswerTimeout extends Handler.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(AnswerTimeout.class);
    private static final Duration GRACE = Duration.ofSeconds(10);

    /** In bytes a second. */
    private static final int SLOWEST = 4 << 10;

    private final Duration grace;

    AnswerTimeout(Handler handler) {
        this(handler, GRACE);
    }

    AnswerTimeout(Handler handler, Duration grace) {
        super(handler);
        this.grace = grace;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        return super.handle(request, new TimedResponse(request, response), callback);
    }

    private final class TimedResponse extends Response.Wrapper {
        TimedResponse(Request request, Response response) {
            super(request, response);
        }

        @Override
        public void write(boolean last, ByteBuffer bytes, Callback callback) {
            int length = bytes == null ? 0 : bytes.remaining();
            PendingWrite write = new PendingWrite(callback, getRequest());
            super.write(last, bytes, write);
            write.limit(grace.toMillis() + length * 1_000L / SLOWEST);
        }
    }

    /** Most writes have ended when they return; only for others a timer is set. */
    private static final class PendingWrite extends Callback.Nested {
        private final Request request;
        private boolean ended;
        private Scheduler.@Nullable Task timer;

        PendingWrite(Callback callback, Request request) {
            super(callback);
            this.request = request;
        }

        synchronized void limit(long millis) {
            if (!ended) {
                timer = request.getComponents().getScheduler().schedule(this::expired, millis, TimeUnit.MILLISECONDS);
            }
        }

        private void expired() {
            LOG.info("An answer was given up: {} reads it too slowly.", Request.getRemoteAddr(request));
            request.getConnectionMetaData()
                    .getConnection()
                    .getEndPoint()
                    .close(new TimeoutException("the client reads the answer too slowly"));
        }

        @Override
        public void completed() {
            synchronized (this) {
                ended = true;
                if (timer != null) {
                    timer.cancel();
                }
            }
            super.completed();
        }
    }
}
