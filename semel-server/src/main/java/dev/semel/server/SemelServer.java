package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.console.admin.ServerActions.ReloadResult;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.LoginState;
import dev.semel.server.session.OneTimeSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
    private final LoginState logins = new LoginState();
    private volatile Generation current;
    /** Held while the configuration in use changes. */
    private final Object reloading = new Object();

    private final List<Thread> retiring = new ArrayList<>();
    private final Embedding embedding;
    private volatile boolean stopped;

    private SemelServer(ServerConfig config, Embedding embedding) throws IOException, GeneralSecurityException {
        this.embedding = embedding;
        this.jetty =
                new JettyServer(config.listen(), new EndpointServlet(this::current), new EndpointBodies(this::current));
        this.current = new Generation(config, logins, embedding, this::reload);
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
        return start(config, Embedding.PLAIN);
    }

    /**
     * As {@link #start(ServerConfig)}, with a configuration that operators can have read again.
     *
     * @param reader reads the configuration; throws {@link SemelException.Misconfigured} with all its faults
     */
    public static SemelServer start(ServerConfig config, Supplier<ServerConfig> reader)
            throws IOException, GeneralSecurityException {
        return start(config, Embedding.PLAIN.withReader(reader));
    }

    /** As {@link #start(ServerConfig)}, in a program that adds something to it. */
    public static SemelServer start(ServerConfig config, Embedding embedding)
            throws IOException, GeneralSecurityException {
        SemelServer server = new SemelServer(config, embedding);
        try {
            server.current.openWhenReachable();
            server.jetty.start();
        } catch (IOException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
        LOG.info(
                "Listening on {}. {} {}",
                server.uri(),
                summary(config),
                config.operators().console() ? "Console: " + server.uri().resolve("/console/") : "Console: off.");
        if (config.operators().isLoopbackOnly()) {
            server.offerFirstLogin();
        }
        return server;
    }

    private Generation current() {
        return current;
    }

    /** The only place where a secret is shown, because nobody else could tell it. */
    private void offerFirstLogin() {
        URI uri = uri();
        try {
            InetAddress address =
                    InetAddress.getByName(current.config().listen().address());
            if (address.isAnyLocalAddress() || address.isLoopbackAddress()) {
                URI local = address.isAnyLocalAddress()
                        ? URI.create(uri.getScheme() + "://127.0.0.1:" + uri.getPort())
                        : uri;
                LOG.warn(
                        "{}",
                        OneTimeSecret.instructions(
                                logins.oneTimeSecret().make(),
                                local,
                                current.config().operators().console()));
                return;
            }
        } catch (UnknownHostException e) {
            LOG.debug("The address of the listener cannot be looked up.", e);
        }
        LOG.warn(
                "No users are configured, and this server does not listen on loopback: nobody can operate it over HTTP. Add"
                        + " users or an identity provider to the configuration: docs/security.md");
    }

    /**
     * Makes a secret for the first login, which can be used once; the one that was logged is not valid any more. For a program that shows
     * it itself. It lets nobody in once users or an identity provider are configured.
     */
    public String makeOneTimeSecret() {
        return logins.oneTimeSecret().make();
    }

    private static String summary(ServerConfig config) {
        return "Sources: " + config.sources().size() + ", topics: "
                + config.topics().size() + ", routes: "
                + config.routes().size() + ", destinations: "
                + config.destinations().size() + ", gateways: "
                + config.gateways().size() + ", tokens of the API: "
                + config.tokens().size() + ", users: "
                + config.operators().users().size() + ".";
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
        Generation before;
        synchronized (reloading) {
            before = replace(next);
        }
        return before.retire(before.config().listen().drain());
    }

    /**
     * Reads the configuration again and takes it into use, as a whole or not at all. Returns as soon as it is in use: requests and
     * deliveries under way end under the one before, and the log says when they have. One at a time, each with the file as it is
     * then.
     */
    public ReloadResult reload() {
        try {
            synchronized (reloading) {
                Generation before = replace(embedding.reader().get());
                Thread thread = new Thread(() -> retire(before), "semel-retire");
                thread.setDaemon(true);
                retiring.removeIf(each -> !each.isAlive());
                retiring.add(thread);
                thread.start();
            }
            return new ReloadResult.Reloaded();
        } catch (SemelException.Misconfigured wrong) {
            return new ReloadResult.Rejected(wrong.faults());
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            LOG.warn("The configuration cannot be used.", e);
            return new ReloadResult.Rejected(List.of(String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ReloadResult.Rejected(List.of("the reload was interrupted"));
        }
    }

    private static void retire(Generation before) {
        try {
            boolean drained = before.retire(before.config().listen().drain());
            LOG.info(
                    "Reload is complete{}.",
                    drained ? "" : "; some deliveries did not end in time and will be delivered again");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The certificate is read first, the ledger opened last: nothing has been handled when a configuration is rejected. */
    private Generation replace(ServerConfig next) throws IOException, GeneralSecurityException, InterruptedException {
        if (stopped) {
            throw new IllegalStateException("The server is stopped; it cannot take a configuration into use.");
        }
        Generation before = current;
        demandSameListener(before.config().listen(), next.listen());
        jetty.reloadTls(next.listen().tls());
        Generation after = new Generation(next, logins, embedding, this::reload);
        try {
            after.open();
        } catch (RuntimeException | Error e) {
            after.retire(Duration.ZERO);
            throw e;
        }
        current = after;
        LOG.info("The changed configuration is in use. {}", summary(next));
        if (next.operators().isLoopbackOnly() && !before.config().operators().isLoopbackOnly()) {
            offerFirstLogin();
        }
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
        List<Thread> earlier;
        synchronized (reloading) {
            earlier = List.copyOf(retiring);
        }
        Duration bound = current.config().listen().drain();
        long began = System.nanoTime();
        boolean answered = false;
        try {
            current.stopClaiming();
            answered = jetty.stop(bound);
        } finally {
            Duration left = bound.minusNanos(System.nanoTime() - began);
            answered &= current.retire(left.isNegative() ? Duration.ZERO : left);
            for (Thread each : earlier) {
                each.join(
                        Math.max(1, bound.minusNanos(System.nanoTime() - began).toMillis()));
                answered &= !each.isAlive();
            }
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
