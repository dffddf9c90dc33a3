package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.server.config.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server: takes webhooks in, routes them, delivers them.
 *
 * <pre>{@code
 * try (SemelServer server = SemelServer.start(config)) {
 *     server.reload(changed);
 * }
 * }</pre>
 *
 * Thread-safe.
 */
public final class SemelServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SemelServer.class);

    private final JettyServer jetty;
    private volatile Generation current;
    private boolean stopped;

    private SemelServer(ServerConfig config) throws IOException, GeneralSecurityException {
        this.jetty =
                new JettyServer(config.listen(), new EndpointServlet(this::current), new EndpointBodies(this::current));
        this.current = new Generation(config);
    }

    /**
     * Starts a server. If the store cannot be reached yet, it starts all the same: requests are answered with 503, and it is ready as soon
     * as the store is.
     *
     * @throws IOException when the address cannot be used, or a file cannot be read
     * @throws GeneralSecurityException when the certificate or its key cannot be used
     * @throws SemelException.Misconfigured when the store cannot serve
     */
    public static SemelServer start(ServerConfig config) throws IOException, GeneralSecurityException {
        SemelServer server = new SemelServer(config);
        try {
            server.current.openWhenReachable();
            server.jetty.start();
        } catch (IOException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
        LOG.info("Listening on {}. {}", server.uri(), summary(config));
        return server;
    }

    private Generation current() {
        return current;
    }

    private static String summary(ServerConfig config) {
        return "Sources: " + config.sources().size() + ", routes: "
                + config.routes().size() + ", destinations: "
                + config.destinations().size() + ", gateways: "
                + config.gateways().size() + ", tokens of the API: "
                + config.tokens().size() + ".";
    }

    /** Where it listens, with the real port. */
    public URI uri() {
        ServerConfig.Listen listen = current.config().listen();
        String host = listen.address().contains(":") ? "[" + listen.address() + "]" : listen.address();
        return URI.create((listen.tls() == null ? "http" : "https") + "://" + host + ":" + jetty.port());
    }

    /**
     * Takes a changed configuration into use, as a whole. Requests and deliveries under way end under the present one. If the new one
     * cannot be used, this throws and nothing changes. The certificate and its key are read again.
     *
     * @return whether all that was under way ended within the bound for draining
     * @throws SemelException.Misconfigured when a setting needs a restart, or the store cannot serve
     * @throws SemelException.StoreUnavailable when the store cannot be reached
     */
    public boolean reload(ServerConfig next) throws IOException, GeneralSecurityException, InterruptedException {
        Generation before = replace(next);
        return before.retire(before.config().listen().drain());
    }

    /** The certificate is read first, the ledger opened last: nothing has been handled when a configuration is rejected. */
    private synchronized Generation replace(ServerConfig next)
            throws IOException, GeneralSecurityException, InterruptedException {
        if (stopped) {
            throw new IllegalStateException("The server is stopped; it cannot take a configuration into use.");
        }
        Generation before = current;
        demandSameListener(before.config().listen(), next.listen());
        jetty.reloadTls(next.listen().tls());
        Generation after = new Generation(next);
        try {
            after.open();
        } catch (RuntimeException | Error e) {
            after.retire(Duration.ZERO);
            throw e;
        }
        current = after;
        LOG.info("The changed configuration is in use. {}", summary(next));
        return before;
    }

    private static void demandSameListener(ServerConfig.Listen before, ServerConfig.Listen after) {
        List<String> faults = new ArrayList<>();
        if (!before.address().equals(after.address()) || before.port() != after.port()) {
            faults.add("the address or port has changed: restart the server to listen on " + after.address() + ":"
                    + after.port());
        }
        if ((before.tls() == null) != (after.tls() == null)) {
            faults.add("TLS was switched " + (after.tls() == null ? "off" : "on") + ": restart the server");
        }
        if (!before.limits().equals(after.limits())) {
            faults.add("limits of the listener have changed: restart the server");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("reload", faults);
        }
    }

    /**
     * Stops: no new requests, those under way are answered, deliveries under way end, the others are handed back.
     *
     * @return whether all of that ended within the bound for draining
     */
    public synchronized boolean stop() throws InterruptedException {
        if (stopped) {
            return true;
        }
        stopped = true;
        Duration bound = current.config().listen().drain();
        long began = System.nanoTime();
        boolean answered = false;
        try {
            current.stopClaiming();
            answered = jetty.stop(bound);
        } finally {
            Duration left = bound.minusNanos(System.nanoTime() - began);
            answered &= current.retire(left.isNegative() ? Duration.ZERO : left);
        }
        return answered;
    }

    /** As {@link #stop}. */
    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
