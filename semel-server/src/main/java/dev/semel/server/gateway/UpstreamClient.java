package dev.semel.server.gateway;

import dev.semel.server.config.GatewayConfig;
import java.net.URI;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProxyAuthenticationProtocolHandler;
import org.eclipse.jetty.client.RedirectProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * The HTTP client of one API: HTTP/1.1, without redirects, cookies, proxies, credentials of its own and decoding. Thread-safe.
 */
final class UpstreamClient implements AutoCloseable {
    private static final int THREADS = 24;
    private static final int LARGEST_HEAD = 32 << 10;
    private static final long CONNECT_MILLIS = 5_000;

    /**
     * For connections without a request. Servers close them after some seconds, many after five; a request that is sent at that very moment
     * is UNKNOWN, so the gateway closes them earlier.
     */
    private static final long UNUSED_MILLIS = 2_000;

    private final GatewayConfig config;
    private final HttpClient http;

    private UpstreamClient(GatewayConfig config, HttpClient http) {
        this.config = config;
        this.http = http;
    }

    static UpstreamClient start(GatewayConfig config) {
        HttpClient http = client(config);
        try {
            http.start();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "The HTTP client of gateway " + config.name() + " could not be started.", e);
        }
        // Added when it starts.
        http.getContentDecoderFactories().clear();
        http.getProtocolHandlers().remove(RedirectProtocolHandler.NAME);
        http.getProtocolHandlers().remove(WWWAuthenticationProtocolHandler.NAME);
        http.getProtocolHandlers().remove(ProxyAuthenticationProtocolHandler.NAME);
        return new UpstreamClient(config, http);
    }

    private static HttpClient client(GatewayConfig config) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName("semel-gateway-" + config.name());
        threads.setDaemon(true);
        SslContextFactory.Client tls = new SslContextFactory.Client();
        tls.setEndpointIdentificationAlgorithm("HTTPS");
        ClientConnector connector = new ClientConnector();
        connector.setExecutor(threads);
        connector.setScheduler(new ScheduledExecutorScheduler("semel-gateway-scheduler", true));
        connector.setSelectors(1);
        connector.setSslContextFactory(tls);
        HttpClient http = new HttpClient(new HttpClientTransportOverHTTP(connector));
        http.setConnectTimeout(
                Math.min(CONNECT_MILLIS, config.upstream().timeout().toMillis()));
        http.setIdleTimeout(UNUSED_MILLIS);
        http.setFollowRedirects(false);
        http.setHttpCookieStore(new HttpCookieStore.Empty());
        http.setMaxResponseHeadersSize(LARGEST_HEAD);
        // One more for the probe.
        http.setMaxConnectionsPerDestination(config.limits().requests()
                + 1
                + (config.upstream().upgrades().pass()
                        ? config.upstream().upgrades().connections()
                        : 0));
        http.setUserAgentField(null);
        http.setDefaultRequestContentType(null);
        return http;
    }

    Scheduler scheduler() {
        return http.getScheduler();
    }

    Executor executor() {
        return http.getExecutor();
    }

    /** @param target path and query below the host, as they are sent */
    Request request(String method, String target) {
        URI url = config.upstream().url();
        int port = url.getPort() > 0 ? url.getPort() : url.getScheme().equalsIgnoreCase("https") ? 443 : 80;
        return http.newRequest(url.getHost(), port)
                .scheme(url.getScheme())
                .method(method)
                .path(target)
                .idleTimeout(config.upstream().idle().toMillis(), TimeUnit.MILLISECONDS)
                .followRedirects(false);
    }

    /** Closes every connection. */
    @Override
    public void close() {
        try {
            http.stop();
        } catch (Exception e) {
            throw new IllegalStateException(
                    "The HTTP client of gateway " + config.name() + " could not be stopped.", e);
        }
    }
}
