package dev.semel.server;

import dev.semel.server.config.ServerConfig;
import dev.semel.server.listen.BodyRule;
import dev.semel.server.listen.SlowClients;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty as the server uses it: one connector with limits, one servlet, error pages that say nothing of the inside. Public for the bench,
 * which compares the server with the same Jetty without a ledger.
 */
public final class JettyServer {
    private static final Logger LOG = LoggerFactory.getLogger(JettyServer.class);
    private static final int THREADS = 200;

    private final Server server;
    private final ServerConnector connector;
    private final SslContextFactory.@Nullable Server tls;

    /**
     * Prepared, not started.
     *
     * @param servlet gets all requests
     * @param bodies how much of a body is awaited before the servlet is called
     * @throws IOException when the certificate or its key cannot be read
     */
    public JettyServer(ServerConfig.Listen listen, HttpServlet servlet, BodyRule bodies)
            throws IOException, GeneralSecurityException {
        this.server = new Server(threads());
        this.tls = listen.tls() == null ? null : tls(listen.tls());
        this.connector = connector(listen);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(listen.limits().connections(), server));
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        context.setErrorHandler(JettyServer::brief);
        server.setErrorHandler(JettyServer::brief);
        server.setHandler(new GracefulHandler(SlowClients.limit(
                connector,
                context,
                bodies,
                listen.limits().idle(),
                listen.limits().connectionsPerAddress())));
    }

    private static QueuedThreadPool threads() {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS);
        threads.setName("semel-http");
        Executor virtual = VirtualThreads.getDefaultVirtualThreadsExecutor();
        if (virtual != null) {
            threads.setVirtualThreadsExecutor(virtual);
        }
        return threads;
    }

    private ServerConnector connector(ServerConfig.Listen listen) {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(listen.limits().headerBytes());
        http.setUriCompliance(UriCompliance.DEFAULT);
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        ServerConnector made;
        if (tls == null) {
            made = new ServerConnector(server, plain);
        } else {
            // Names are checked by the client; requests by address, as load balancers make them, are served as well.
            http.addCustomizer(new SecureRequestCustomizer(false));
            made = new ServerConnector(server, new SslConnectionFactory(tls, plain.getProtocol()), plain);
        }
        made.setHost(listen.address());
        made.setPort(listen.port());
        made.setIdleTimeout(listen.limits().idle().toMillis());
        return made;
    }

    private static SslContextFactory.Server tls(ServerConfig.TlsFiles files)
            throws IOException, GeneralSecurityException {
        SslContextFactory.Server factory = new SslContextFactory.Server();
        factory.setKeyStore(PemKeyStore.read(files.certificate(), files.key()));
        factory.setKeyStorePassword(PemKeyStore.PASSWORD);
        return factory;
    }

    /** A status without a body: what went wrong inside is in the log. */
    private static boolean brief(Request request, Response response, Callback callback) {
        response.getHeaders().put("Cache-Control", "no-store");
        callback.succeeded();
        return true;
    }

    /** @throws IOException when the address or port cannot be used */
    public void start() throws IOException {
        try {
            server.start();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("Jetty could not be started", e);
        }
    }

    /** The port that it listens on, once it is started. */
    public int port() {
        return connector.getLocalPort();
    }

    /** Takes the certificate and key of the files into use, for new connections. */
    void reloadTls(ServerConfig.@Nullable TlsFiles files) throws IOException, GeneralSecurityException {
        if (tls != null && files != null) {
            KeyStore keys = PemKeyStore.read(files.certificate(), files.key());
            try {
                tls.reload(factory -> factory.setKeyStore(keys));
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("the certificate could not be taken into use", e);
            }
        }
    }

    /**
     * Accepts no more connections, waits for the requests under way, and stops.
     *
     * @return whether all of them ended within the bound
     */
    boolean stop(Duration bound) throws InterruptedException {
        server.setStopTimeout(bound.toMillis());
        try {
            server.stop();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.warn("Not all requests ended within {} s; their connections are closed.", bound.toSeconds(), e);
            return false;
        }
    }
}
