package dev.semel.server.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Closes a connection whose TLS handshake does not end in time. A delivery that times out meanwhile does not close it, because it has no
 * connection yet; a destination that sends a byte from time to time would hold it, and a place in the pool, for ever.
 */
final class HandshakeLimit implements Connection.Listener {
    private final Scheduler scheduler;
    private final Duration limit;

    HandshakeLimit(Scheduler scheduler, Duration limit) {
        this.scheduler = scheduler;
        this.limit = limit;
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection tls) {
            scheduler.schedule(() -> closeUnlessReady(tls), limit.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static void closeUnlessReady(SslConnection tls) {
        // Java's name for the protocol of a session that is not there yet
        if ("NONE".equals(tls.getSSLEngine().getSession().getProtocol())) {
            tls.getEndPoint().close();
        }
    }
}
