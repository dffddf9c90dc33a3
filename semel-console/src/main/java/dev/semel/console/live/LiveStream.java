package dev.semel.console.live;

import dev.semel.SemelException;
import dev.semel.console.live.LiveStreams.StreamOwner;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One stream. Its source is asked only when all that it said before is written, so a slow client makes nothing pile up; one for which
 * bytes wait too long is disconnected.
 */
final class LiveStream implements WriteListener, AsyncListener {
    private static final Logger LOG = LoggerFactory.getLogger(LiveStream.class);
    private static final Duration CREDENTIALS = Duration.ofSeconds(3);
    private static final byte[] BEGINNING = "retry: 3000\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] HEARTBEAT = ": heartbeat\n\n".getBytes(StandardCharsets.UTF_8);

    private final StreamOwner owner;
    private final LiveSource source;
    private final LiveLimits limits;
    private final long began;
    private final Deque<byte[]> waiting = new ArrayDeque<>(List.of(BEGINNING));
    private @Nullable AsyncContext async;
    private @Nullable ServletOutputStream out;
    /** When bytes were last made or, if none wait, found to be written. */
    private long progress;

    private long said;
    private long checked;
    private boolean writable;
    private boolean unflushed;
    private boolean ending;
    private boolean over;

    LiveStream(StreamOwner owner, LiveSource source, LiveLimits limits, long now) {
        this.owner = owner;
        this.source = source;
        this.limits = limits;
        this.began = now;
        this.progress = now;
        this.said = now;
        this.checked = now;
    }

    StreamOwner owner() {
        return owner;
    }

    synchronized boolean isOver() {
        return over;
    }

    void start(AsyncContext context, ServletOutputStream stream) {
        synchronized (this) {
            async = context;
            out = stream;
        }
        context.addListener(this);
        stream.setWriteListener(this);
    }

    /** One turn of the thread that feeds all streams. */
    void turn(long now) {
        if (isOver()) {
            return;
        }
        if (isWithout(Duration.ofNanos(now - began), limits.longest())) {
            end("expired");
        } else if (isWithout(Duration.ofNanos(now - checked), CREDENTIALS)) {
            checked = now;
            if (!isValid()) {
                end("unauthenticated");
            }
        }
        feed(now);
    }

    private static boolean isWithout(Duration passed, Duration limit) {
        return passed.compareTo(limit) >= 0;
    }

    private boolean isValid() {
        try {
            return owner.valid().getAsBoolean();
        } catch (RuntimeException e) {
            LOG.debug("The credentials of a stream cannot be checked; it ends.", e);
            return false;
        }
    }

    private synchronized void feed(long now) {
        drain();
        if (over) {
            return;
        }
        if (waiting.isEmpty() && !unflushed) {
            progress = now;
            if (!ending) {
                ask(now);
            }
        } else if (isWithout(Duration.ofNanos(now - progress), limits.slowest())) {
            LOG.info("A stream of {} was ended: the client reads it too slowly.", owner.person());
            abort();
        }
    }

    private void ask(long now) {
        try {
            source.poll().forEach(event -> waiting.add(event.bytes()));
        } catch (SemelException.StoreUnavailable e) {
            LOG.debug("The source of a stream is unavailable; it is asked again.", e);
        } catch (RuntimeException e) {
            LOG.warn("A stream of {} failed and was ended; its client reconnects.", owner.person(), e);
            end("failed");
        }
        if (!waiting.isEmpty()) {
            said = now;
        } else if (isWithout(Duration.ofNanos(now - said), limits.heartbeat())) {
            said = now;
            waiting.add(HEARTBEAT);
        }
        drain();
    }

    /** Says why, and ends when that is written. */
    synchronized void end(String reason) {
        if (!ending) {
            ending = true;
            waiting.add(new LiveEvent("end", null, Map.of("reason", reason)).bytes());
            drain();
        }
    }

    /** Ends now, whatever is written. */
    synchronized void abort() {
        if (!over) {
            over = true;
            waiting.clear();
            if (async != null) {
                try {
                    async.complete();
                } catch (IllegalStateException e) {
                    LOG.debug("A stream had ended already.", e);
                }
            }
        }
    }

    /** Writes as much as the client takes; the container calls {@link #onWritePossible} when it takes more. */
    private void drain() {
        ServletOutputStream stream = out;
        if (over || !writable || stream == null) {
            return;
        }
        try {
            while (!waiting.isEmpty() && stream.isReady()) {
                stream.write(waiting.remove());
                unflushed = true;
            }
            if (unflushed && waiting.isEmpty() && stream.isReady()) {
                unflushed = false;
                stream.flush();
            }
            if (ending && waiting.isEmpty() && !unflushed && stream.isReady()) {
                abort();
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("The client of a stream is gone.", e);
            abort();
        }
    }

    @Override
    public synchronized void onWritePossible() {
        writable = true;
        drain();
    }

    @Override
    public void onError(Throwable failure) {
        LOG.debug("The client of a stream is gone.", failure);
        abort();
    }

    @Override
    public synchronized void onComplete(AsyncEvent event) {
        over = true;
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        abort();
    }

    @Override
    public void onError(AsyncEvent event) {
        abort();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        // It is not started again.
    }
}
