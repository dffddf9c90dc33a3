package dev.semel.console.live;

import dev.semel.time.TimeSource;
import dev.semel.worker.Housekeeper;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of one servlet. A stream holds no thread: one thread asks the sources of all of them, and writes as far as clients
 * read. Thread-safe.
 */
public final class LiveStreams implements AutoCloseable {
    private static final Duration PACE = Duration.ofSeconds(1);

    private final TimeSource time;
    private final LiveLimits limits;
    private final List<LiveStream> open = new ArrayList<>();
    private @Nullable Housekeeper pump;
    private boolean closed;

    /** The thread starts with the first stream. */
    public LiveStreams(TimeSource time, LiveLimits limits) {
        this.time = time;
        this.limits = limits;
    }

    /**
     * Whose stream it is.
     *
     * @param person whose streams are counted together
     * @param valid whether the credentials that opened it still are; asked every few seconds, by another thread
     */
    public record StreamOwner(String person, BooleanSupplier valid) {}

    /** What came of opening a stream. */
    public enum Opening {
        /** The response is the stream from now on. */
        OPENED,
        /** This person has too many. The response is untouched. */
        TOO_MANY_OF_PERSON,
        /** There are too many. The response is untouched. */
        TOO_MANY,
        /** The server stops or takes another configuration into use. The response is untouched. */
        CLOSED
    }

    /** Makes the response a stream, which ends when its owner's credentials do, or when this is closed. */
    public Opening open(StreamOwner owner, HttpServletRequest request, HttpServletResponse response, LiveSource source)
            throws IOException {
        LiveStream stream;
        synchronized (this) {
            if (closed) {
                return Opening.CLOSED;
            }
            open.removeIf(LiveStream::isOver);
            if (open.size() >= limits.all()) {
                return Opening.TOO_MANY;
            }
            long own = open.stream()
                    .filter(each -> each.owner().person().equals(owner.person()))
                    .count();
            if (own >= limits.perPerson()) {
                return Opening.TOO_MANY_OF_PERSON;
            }
            stream = new LiveStream(owner, source, limits, time.nanos());
            open.add(stream);
        }
        try {
            response.setStatus(HttpServletResponse.SC_OK);
            response.setContentType("text/event-stream");
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("X-Content-Type-Options", "nosniff");
            // nginx would collect events until a buffer is full.
            response.setHeader("X-Accel-Buffering", "no");
            AsyncContext async = request.startAsync();
            async.setTimeout(0);
            stream.start(async, response.getOutputStream());
        } catch (IOException | RuntimeException | Error e) {
            stream.abort();
            throw e;
        }
        startPump();
        return Opening.OPENED;
    }

    private synchronized void startPump() {
        if (closed) {
            return;
        }
        if (pump == null) {
            pump = new Housekeeper(
                    "semel-live", time, List.of(Housekeeper.Duty.every(PACE, "feed streams", this::turn)));
            pump.start();
        } else {
            pump.wake();
        }
    }

    private void turn() {
        List<LiveStream> all;
        synchronized (this) {
            open.removeIf(LiveStream::isOver);
            all = List.copyOf(open);
        }
        all.forEach(stream -> stream.turn(time.nanos()));
    }

    /** How many are open. */
    public synchronized int count() {
        open.removeIf(LiveStream::isOver);
        return open.size();
    }

    /** Ends all streams; clients are told and reconnect. No further ones are opened. */
    @Override
    public void close() {
        List<LiveStream> all;
        Housekeeper thread;
        synchronized (this) {
            closed = true;
            all = List.copyOf(open);
            open.clear();
            thread = pump;
            pump = null;
        }
        if (thread != null) {
            thread.close();
        }
        all.forEach(stream -> {
            stream.end("closing");
            stream.abort();
        });
    }
}
