package dev.semel.server.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** An API behind the gateway: a server on a socket that says exactly what a test wants. */
final class TestApi implements AutoCloseable {
    private final ServerSocket listening;
    private final Map<Socket, Boolean> open = new ConcurrentHashMap<>();
    private final List<ApiCall> calls = new CopyOnWriteArrayList<>();
    private volatile Conversation conversation = (call, out) -> write(out, answer(200, "ok"));

    /** What it does with a request; an IOException closes the connection. */
    @FunctionalInterface
    interface Conversation {
        void answer(ApiCall call, OutputStream out) throws IOException;
    }

    /** A request; names of headers in lower case. */
    record ApiCall(String line, Map<String, String> headers, String body) {
        @Nullable
        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }

        String target() {
            return line.split(" ")[1];
        }
    }

    TestApi() {
        try {
            listening = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** From now on. */
    void converses(Conversation value) {
        conversation = value;
    }

    void answers(int status, String body, String... headers) {
        conversation = (call, out) -> write(out, answer(status, body, headers));
    }

    List<ApiCall> calls() {
        return List.copyOf(calls);
    }

    /** Connections of the gateway that are open. */
    int connections() {
        return open.size();
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort() + "/base";
    }

    /** @param headers each ends with a line break */
    static String answer(int status, String body, String... headers) {
        return "HTTP/1.1 " + status + " Some\r\nContent-Length: " + body.length() + "\r\n" + String.join("", headers)
                + "\r\n" + body;
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "test-api");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                open.put(socket, true);
                start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            while (true) {
                ApiCall call = read(socket.getInputStream());
                calls.add(call);
                conversation.answer(call, socket.getOutputStream());
            }
        } catch (IOException ended) {
            // by the gateway, or by the test
        } finally {
            open.remove(socket);
        }
    }

    private static ApiCall read(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.write(next);
        }
        String[] lines = head.toString(StandardCharsets.ISO_8859_1).strip().split("\r\n");
        Map<String, String> headers = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.merge(
                    lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                    lines[i].substring(colon + 1).strip(),
                    (first, second) -> first + ", " + second);
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        return new ApiCall(lines[0], headers, new String(body, StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : open.keySet()) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
