package dev.semel.server.listen;

import dev.semel.server.access.ClientNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.util.IO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes new connections of a client that has too many, so that one client cannot use up the connections of all. They are counted by IPv4
 * address, or by IPv6 network of 64 bits. Thread-safe.
 */
final class NetworkConnections implements SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(NetworkConnections.class);
    private static final long LOG_PAUSE = 60_000_000_000L;

    private final int most;
    private final Map<SelectableChannel, String> open = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private long logged = System.nanoTime() - LOG_PAUSE;

    NetworkConnections(int most) {
        this.most = most;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        String network = network(channel);
        if (!add(channel, network)) {
            // What is accepted next finds it closed, and tells onAcceptFailed.
            IO.close(channel);
        }
    }

    private static String network(SelectableChannel channel) {
        try {
            return ((SocketChannel) channel).getRemoteAddress() instanceof InetSocketAddress remote
                    ? ClientNetwork.of(remote.getAddress().getHostAddress())
                    : "";
        } catch (IOException closed) {
            return "";
        }
    }

    private synchronized boolean add(SelectableChannel channel, String network) {
        open.put(channel, network);
        int count = counts.merge(network, 1, Integer::sum);
        long now = System.nanoTime();
        if (count > most && now - logged >= LOG_PAUSE) {
            logged = now;
            LOG.warn(
                    "A connection from {} was rejected: it has {} open, which is the limit (listen.limits.connections-per-address)."
                            + " At most one such line is logged each minute.",
                    network,
                    most);
        }
        return count <= most;
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        remove(channel);
    }

    private synchronized void remove(SelectableChannel channel) {
        String network = open.remove(channel);
        if (network != null) {
            counts.computeIfPresent(network, (name, count) -> count == 1 ? null : count - 1);
        }
    }

    synchronized int networks() {
        return counts.size();
    }
}
