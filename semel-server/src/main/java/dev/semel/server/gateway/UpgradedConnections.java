package dev.semel.server.gateway;

import dev.semel.server.config.GatewayConfig.Upgrades;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.Scheduler;

/** The upgraded connections of one gateway: so many at once, each for a limited time. Thread-safe. */
final class UpgradedConnections implements AutoCloseable {
    private final Upgrades limits;
    private final Scheduler scheduler;
    private final Set<UpgradedConnection> open = new HashSet<>();
    private int reserved;
    private boolean closed;

    UpgradedConnections(Upgrades limits, Scheduler scheduler) {
        this.limits = limits;
        this.scheduler = scheduler;
    }

    /** Whether there is a place for one more; then {@link #release} or {@link #add} follows. */
    synchronized boolean reserve() {
        boolean free = !closed && open.size() + reserved < limits.connections();
        reserved += free ? 1 : 0;
        return free;
    }

    /** There was no upgrade. */
    synchronized void release() {
        reserved--;
    }

    /** Takes the reserved place. Without one, because the gateway closes, the connection is closed. */
    void add(UpgradedConnection connection) {
        boolean late;
        synchronized (this) {
            reserved--;
            late = closed;
            if (!late) {
                open.add(connection);
            }
        }
        if (late) {
            connection.close();
            return;
        }
        Scheduler.Task timer =
                scheduler.schedule(connection::close, limits.longest().toMillis(), TimeUnit.MILLISECONDS);
        connection.whenClosed(() -> {
            timer.cancel();
            remove(connection);
        });
    }

    private synchronized void remove(UpgradedConnection connection) {
        open.remove(connection);
    }

    /** Closes all, and lets no more in. */
    @Override
    public void close() {
        List<UpgradedConnection> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(open);
        }
        all.forEach(UpgradedConnection::close);
    }
}
