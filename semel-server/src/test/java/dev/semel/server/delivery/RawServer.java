package dev.semel.server.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A server on a loopback address that writes exactly the bytes a test wants, be they HTTP or not. */
final class RawServer implements AutoCloseable {
    private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

    private final ServerSocket listening;
    private final Conversation conversation;
    private final Queue<ReceivedPost> received = new ConcurrentLinkedQueue<>();
    private final Map<Socket, Boolean> open = new ConcurrentHashMap<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();

    /** What happens on a connection after each request. */
    @FunctionalInterface
    interface Conversation {
        void answer(ReceivedPost request, OutputStream out) throws IOException;
    }

    /** A request; names of headers in lower case. */
    record ReceivedPost(String line, Map<String, String> headers, List<String> names, String body) {
        String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "(absent)");
        }
    }

    private RawServer(ServerSocket listening, Conversation conversation) {
        this.listening = listening;
        this.conversation = conversation;
        start("raw-server", this::accept);
    }

    static RawServer on(Conversation conversation) {
        try {
            return on(new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1")), conversation);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawServer on(ServerSocket listening, Conversation conversation) {
        return new RawServer(listening, conversation);
    }

    /** Answers each request with a whole answer, and keeps the connection open. */
    static RawServer answering(Function<ReceivedPost, String> answer) {
        return on((request, out) -> out.write(answer.apply(request).getBytes(StandardCharsets.ISO_8859_1)));
    }

    static RawServer answering(int status) {
        return answering(any -> answer(status, ""));
    }

    /** An answer with a body and further headers, each ending with a line break. */
    static String answer(int status, String body, String... headers) {
        return "HTTP/1.1 " + status + " Some\r\nContent-Length: " + body.length() + "\r\n" + String.join("", headers)
                + "\r\n" + body;
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                connections.incrementAndGet();
                open.put(socket, true);
                mostAtOnce.accumulateAndGet(open.size(), Math::max);
                start("raw-connection", () -> serve(socket));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            while (true) {
                ReceivedPost request = read(socket.getInputStream());
                received.add(request);
                OutputStream out = socket.getOutputStream();
                conversation.answer(request, out);
                out.flush();
            }
        } catch (IOException ended) {
            // by the client, or by the test
        } finally {
            open.remove(socket);
        }
    }

    private static ReceivedPost read(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < END_OF_HEAD.length) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.write(next);
            matched = next == END_OF_HEAD[matched] ? matched + 1 : next == '\r' ? 1 : 0;
        }
        String[] lines = head.toString(StandardCharsets.ISO_8859_1).strip().split("\r\n");
        Map<String, String> headers = new TreeMap<>();
        List<String> names = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, colon).toLowerCase(Locale.ROOT);
            names.add(name);
            headers.put(name, lines[i].substring(colon + 1).strip());
        }
        byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        return new ReceivedPost(lines[0], headers, names, new String(body, StandardCharsets.UTF_8));
    }

    int port() {
        return listening.getLocalPort();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/in?a=b");
    }

    List<ReceivedPost> received() {
        return List.copyOf(received);
    }

    /** How many were made so far. */
    int connections() {
        return connections.get();
    }

    int mostAtOnce() {
        return mostAtOnce.get();
    }

    int openConnections() {
        return open.size();
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
