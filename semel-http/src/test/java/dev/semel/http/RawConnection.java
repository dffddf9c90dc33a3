package dev.semel.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** Bytes to a server and back, for what no client would send. */
final class RawConnection implements AutoCloseable {
    /** The beginning of a request under the key k-1. */
    static final String POST = "POST /a HTTP/1.1\r\nHost: x\r\nX-User: alice@acme\r\nIdempotency-Key: k-1\r\n";

    private final Socket socket;

    private RawConnection(Socket socket) {
        this.socket = socket;
    }

    static RawConnection to(FilteredServer server) throws IOException {
        Socket socket = new Socket("127.0.0.1", server.at("/").getPort());
        socket.setSoTimeout(60_000);
        return new RawConnection(socket);
    }

    void say(String text) throws IOException {
        say(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void say(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Says no more, and still listens. */
    void endOfTalk() throws IOException {
        socket.shutdownOutput();
    }

    /** Everything until the server hangs up. */
    String receive() throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        try {
            in.transferTo(received);
        } catch (SocketException e) {
            // It hung up on bytes that it did not want to read.
            return received.toString(StandardCharsets.ISO_8859_1);
        }
        return received.toString(StandardCharsets.ISO_8859_1);
    }

    /** At least so many bytes. */
    void receive(int bytes) throws IOException {
        socket.getInputStream().readNBytes(bytes);
    }

    /** Hangs up without a farewell. */
    @Override
    public void close() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}
