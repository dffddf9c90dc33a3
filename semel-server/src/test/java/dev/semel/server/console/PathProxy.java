package dev.semel.server.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A reverse proxy that serves paths of a server under other paths, and knows nothing else. It names the server as the host, as nginx does. */
final class PathProxy implements AutoCloseable {
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("host", "connection", "content-length", "transfer-encoding", "upgrade", "expect", "keep-alive");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer listener;
    private final URI server;

    private PathProxy(HttpServer listener, URI server) {
        this.listener = listener;
        this.server = server;
    }

    /** @param paths beginnings of paths of the proxy, and those of the server that they stand for */
    static PathProxy start(URI server, Map<String, String> paths) throws IOException {
        HttpServer listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        PathProxy proxy = new PathProxy(listener, server);
        paths.forEach((outside, inside) -> listener.createContext(outside, exchange -> proxy.pass(exchange, inside)));
        listener.setExecutor(proxy.threads);
        listener.start();
        return proxy;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + listener.getAddress().getPort());
    }

    private void pass(HttpExchange exchange, String inside) throws IOException {
        String outside = exchange.getHttpContext().getPath();
        String target = inside + exchange.getRequestURI().toString().substring(outside.length());
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(target));
        byte[] body = exchange.getRequestBody().readAllBytes();
        request.method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        try {
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream in = response.body()) {
                answer(exchange, response, in);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    private static void answer(HttpExchange exchange, HttpResponse<?> response, InputStream in) throws IOException {
        response.headers().map().forEach((name, values) -> {
            if (!OF_THE_CONNECTION.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> exchange.getResponseHeaders().add(name, value));
            }
        });
        boolean empty = response.statusCode() == 204 || response.statusCode() == 304;
        exchange.sendResponseHeaders(response.statusCode(), empty ? -1 : 0);
        if (empty) {
            return;
        }
        byte[] part = new byte[8_192];
        OutputStream out = exchange.getResponseBody();
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
            out.write(part, 0, read);
            // Events must not wait for more.
            out.flush();
        }
    }

    @Override
    public void close() {
        listener.stop(0);
        threads.shutdownNow();
    }
}
