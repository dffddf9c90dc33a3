package dev.semel.server.listen;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose next request does not come in time. Jetty's idle timeout begins again with each byte, so a client that sends
 * a header section byte by byte would keep its connection for days.
 */
final class HeadTimeout extends Handler.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(HeadTimeout.class);

    private final long longest;

    /** Connections without a request under way, and since when. */
    private final Map<Connection, Long> waiting = new ConcurrentHashMap<>();

    private volatile Scheduler.@Nullable Task next;

    HeadTimeout(Duration longest) {
        this.longest = longest.toNanos();
    }

    /** To be a bean of the connector. */
    Connection.Listener connections() {
        return new Connection.Listener() {
            @Override
            public void onOpened(Connection connection) {
                // That of TLS is not one of them; it carries one.
                if (connection instanceof ConnectionMetaData) {
                    waiting.put(connection, System.nanoTime());
                }
            }

            @Override
            public void onClosed(Connection connection) {
                waiting.remove(connection);
            }
        };
    }

    int waitingConnections() {
        return waiting.size();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Connection connection = request.getConnectionMetaData().getConnection();
        waiting.remove(connection);
        Request.addCompletionListener(request, failure -> {
            if (isInUse(connection)) {
                waiting.put(connection, System.nanoTime());
                if (!isInUse(connection)) {
                    waiting.remove(connection);
                }
            }
        });
        return super.handle(request, response, callback);
    }

    /** Not after it was closed, or upgraded to another protocol. */
    private static boolean isInUse(Connection connection) {
        return connection.getEndPoint().isOpen() && connection.getEndPoint().getConnection() == connection;
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
            long now = System.nanoTime();
            waiting.forEach((connection, since) -> {
                if (!isInUse(connection)) {
                    waiting.remove(connection);
                } else if (now - since >= longest && waiting.remove(connection, since)) {
                    LOG.debug(
                            "Connection {} closed: no complete request arrived in time.",
                            connection.getEndPoint().getRemoteSocketAddress());
                    connection.getEndPoint().close(new TimeoutException("no complete request arrived in time"));
                }
            });
        } finally {
            if (isRunning() || isStarting()) {
                schedule();
            }
        }
    }
}
