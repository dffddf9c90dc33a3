package dev.semel.server.delivery;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProxyAuthenticationProtocolHandler;
import org.eclipse.jetty.client.RedirectProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * The HTTP client that all destinations of a server share. It speaks HTTP/1.1, follows no redirect, keeps no cookie, uses no proxy, answers
 * no request for credentials and decodes no body. Thread-safe.
 *
 * <p>It is Jetty's and not the one of {@code java.net.http}, because that resolves a name by itself when it connects: what was checked
 * before would not be what is connected to.
 */
public final class DeliveryClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration HANDSHAKE = Duration.ofSeconds(20);
    private static final Duration IDLE = Duration.ofSeconds(20);

    /** After which a connection is made anew, so that changed names are noticed and checked again. */
    private static final Duration LONGEST_CONNECTION = Duration.ofMinutes(5);

    private static final int LARGEST_HEAD = 32 << 10;
    private static final int THREADS = 32;

    private final HttpClient http;
    private final ExecutorService lookups;

    private DeliveryClient(HttpClient http, ExecutorService lookups) {
        this.http = http;
        this.lookups = lookups;
    }

    /** A client that trusts the certificate authorities of the Java runtime. */
    public static DeliveryClient start() {
        return start(NameLookup.SYSTEM, new SslContextFactory.Client());
    }

    /** @param tls what to trust; host names are verified in any case */
    static DeliveryClient start(NameLookup names, SslContextFactory.Client tls) {
        return start(names, tls, HANDSHAKE);
    }

    /** @param handshake the longest that TLS may take on a new connection */
    static DeliveryClient start(NameLookup names, SslContextFactory.Client tls, Duration handshake) {
        AtomicInteger number = new AtomicInteger();
        ExecutorService lookups = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "semel-delivery-lookup-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        tls.setEndpointIdentificationAlgorithm("HTTPS");
        HttpClient http = client(tls);
        http.setSocketAddressResolver(new PinnedResolver(names, lookups));
        http.addBean(new HandshakeLimit(http.getScheduler(), handshake));
        try {
            http.start();
        } catch (Exception e) {
            lookups.shutdownNow();
            throw new IllegalStateException("The HTTP client for deliveries could not be started.", e);
        }
        // Added when it starts.
        http.getContentDecoderFactories().clear();
        http.getProtocolHandlers().remove(RedirectProtocolHandler.NAME);
        http.getProtocolHandlers().remove(WWWAuthenticationProtocolHandler.NAME);
        http.getProtocolHandlers().remove(ProxyAuthenticationProtocolHandler.NAME);
        return new DeliveryClient(http, lookups);
    }

    private static HttpClient client(SslContextFactory.Client tls) {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
        threads.setName("semel-delivery");
        threads.setDaemon(true);
        ClientConnector connector = new ClientConnector();
        connector.setExecutor(threads);
        connector.setScheduler(new ScheduledExecutorScheduler("semel-delivery-scheduler", true));
        connector.setSelectors(1);
        connector.setSslContextFactory(tls);
        connector.setConnectTimeout(CONNECT);
        connector.setIdleTimeout(IDLE);
        HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP(connector);
        transport.setConnectionPoolFactory(DeliveryClient::pool);
        HttpClient http = new HttpClient(transport);
        http.setName("semel-delivery");
        http.setFollowRedirects(false);
        http.setHttpCookieStore(new HttpCookieStore.Empty());
        http.setMaxResponseHeadersSize(LARGEST_HEAD);
        http.setDestinationIdleTimeout(LONGEST_CONNECTION.toMillis());
        http.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "Semel/" + version()));
        return http;
    }

    private static DuplexConnectionPool pool(Destination destination) {
        int most = destination.getOrigin().getTag() instanceof EgressRoute route ? route.connections() : 1;
        DuplexConnectionPool pool = new DuplexConnectionPool(destination, most);
        pool.setMaxDuration(LONGEST_CONNECTION.toMillis());
        return pool;
    }

    private static String version() {
        String version = DeliveryClient.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    /**
     * Posts a body and reads the answer.
     *
     * @param timeout from the lookup of the name to the last byte of the answer
     * @param headers all of the request but those that HTTP itself needs
     * @throws EgressRejected when the URL or an address of its host is not allowed; nothing was connected to
     * @throws IOException when there is no answer, or it broke off
     * @throws InterruptedException when this thread was interrupted, and still is; the connection is closed
     */
    HttpAnswer post(EgressRoute route, URI url, Duration timeout, HttpFields headers, byte[] body)
            throws IOException, TimeoutException, InterruptedException {
        route.guard().demandAllowed(url);
        Request request = http.newRequest(url)
                .method(HttpMethod.POST)
                .tag(route)
                .followRedirects(false)
                .headers(all -> all.add(headers))
                .body(new BytesRequestContent(body));
        AnswerReader reader = new AnswerReader();
        request.send(reader);
        try {
            return reader.await(timeout);
        } catch (InterruptedException e) {
            request.abort(e);
            Thread.currentThread().interrupt();
            throw e;
        } catch (TimeoutException e) {
            request.abort(e);
            throw e;
        }
    }

    /** Closes every connection. Deliveries under way fail. */
    @Override
    public void close() {
        try {
            http.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The HTTP client for deliveries could not be stopped.", e);
        } finally {
            lookups.shutdownNow();
        }
    }
}
