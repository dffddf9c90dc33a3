package dev.semel.server.gateway;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Relays bytes between a caller and the API after an upgrade. Each direction has one buffer, which is written before more is read, and
 * holds no thread. Both ends are closed together: when both sides have ended, one fails, nothing passes for the idle time, or it is told to.
 */
final class UpgradedConnection {
    private final ConnectionEnd caller;
    private final ConnectionEnd api;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Duration idle;
    private volatile boolean joined;

    private UpgradedConnection(EndPoint caller, EndPoint api, Executor executor, Duration idle) {
        this.caller = new ConnectionEnd(this, caller, executor);
        this.api = new ConnectionEnd(this, api, executor);
        this.idle = idle;
    }

    /** Takes over the connection to the API. */
    static UpgradedConnection from(EndPoint api, EndPoint caller, Executor executor, Duration idle) {
        UpgradedConnection connection = new UpgradedConnection(caller, api, executor, idle);
        api.setIdleTimeout(idle.toMillis());
        api.upgrade(connection.api);
        return connection;
    }

    /**
     * From now on the caller's connection is closed together with that to the API.
     *
     * @return the caller's end, to take over its connection; null when the API has closed its own
     */
    @Nullable
    ConnectionEnd join() {
        joined = true;
        if (closed.isDone()) {
            return null;
        }
        caller.getEndPoint().setIdleTimeout(idle.toMillis());
        return caller;
    }

    /** One end is in use; with the second one, both begin to read. */
    void opened() {
        if (opened.incrementAndGet() == 2) {
            caller.relayTo(api);
            api.relayTo(caller);
        }
    }

    /** One direction has nothing more to say. */
    void ended() {
        if (ended.incrementAndGet() == 2) {
            close();
        }
    }

    void whenClosed(Runnable work) {
        closed.thenRun(work);
    }

    void close() {
        if (closed.complete(null)) {
            api.getEndPoint().close();
            if (joined) {
                caller.getEndPoint().close();
            }
        }
    }
}
