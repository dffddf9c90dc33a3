package dev.semel.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** A client that sends exactly the bytes that a test wants. */
final class RawClient implements AutoCloseable {
    private final Socket socket = new Socket();
    private final InputStream in;

    private RawClient(URI server, String from) {
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), 20_000);
            socket.setSoTimeout(60_000);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawClient to(URI server) {
        return new RawClient(server, "127.0.0.1");
    }

    /** From another loopback address, which is another client. */
    static RawClient from(String address, URI server) {
        return new RawClient(server, address);
    }

    /** The head of a webhook; its body is to follow. */
    static String head(String... headers) {
        return "POST " + TestConfig.PATH + " HTTP/1.1\r\nHost: h\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
    }

    RawClient send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** The status of the next answer, whose body is read, too; 0 when the server has closed the connection. */
    int status() throws IOException {
        String head = head();
        if (head.isEmpty()) {
            return 0;
        }
        int status = Integer.parseInt(head.split(" ")[1]);
        String lower = head.toLowerCase(java.util.Locale.ROOT);
        int at = lower.indexOf("\r\ncontent-length: ");
        if (at >= 0 && status != 100) {
            String length = head.substring(at + 18, head.indexOf("\r\n", at + 18));
            in.readNBytes(Integer.parseInt(length.strip()));
        }
        return status;
    }

    private String head() throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next;
            try {
                next = in.read();
            } catch (java.net.SocketException reset) {
                next = -1;
            }
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Whether the server has closed this connection; waits for that. */
    boolean isClosedByServer() throws IOException {
        return status() == 0;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
