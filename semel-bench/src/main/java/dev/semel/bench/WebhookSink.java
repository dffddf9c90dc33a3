package dev.semel.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The destination that webhooks are delivered to. It answers 204 and does as little as possible, because it shares the machine with the
 * measured server. A path is a destination.
 */
final class WebhookSink implements AutoCloseable {
    private static final byte[] DONE = "HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int LONGEST_LINE = 8 << 10;

    private final ServerSocket server;
    private final Map<String, ReceivedWebhooks> received = new ConcurrentHashMap<>();

    WebhookSink() {
        try {
            server = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("The bench cannot listen on this machine", e);
        }
        start("semel-bench-sink", this::accept);
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.getLocalPort() + path;
    }

    ReceivedWebhooks at(String path) {
        return received.computeIfAbsent(path, ReceivedWebhooks::new);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                start("semel-bench-sink", () -> serve(socket));
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 16 << 10);
            for (String first = line(in); first != null; first = line(in)) {
                receive(first.split(" ", 3)[1], in);
                socket.getOutputStream().write(DONE);
            }
        } catch (IOException | RuntimeException e) {
            // The connection is closed, and what was not answered is delivered again: the counts tell.
        }
    }

    private void receive(String path, InputStream in) throws IOException {
        int length = 0;
        String key = "";
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (line.regionMatches(true, 0, "content-length", 0, colon)) {
                length = Integer.parseInt(line.substring(colon + 1).strip());
            } else if (line.regionMatches(true, 0, "idempotency-key", 0, colon)) {
                key = line.substring(colon + 1).strip();
            }
        }
        at(path).add(number(new String(in.readNBytes(length), StandardCharsets.US_ASCII)), key);
    }

    /** As {@link SignedWebhooks} begin. */
    private static int number(String body) {
        int from = body.indexOf(':') + 1;
        return Integer.parseInt(body.substring(from, body.indexOf(',', from)));
    }

    /** Null at the end of the stream. */
    private static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(80);
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                return null;
            }
            if (line.length() > LONGEST_LINE) {
                throw new IOException("A line is longer than " + LONGEST_LINE + " bytes.");
            }
            if (read != '\r') {
                line.append((char) read);
            }
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
