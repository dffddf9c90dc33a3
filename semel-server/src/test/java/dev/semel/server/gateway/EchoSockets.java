package dev.semel.server.gateway;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An API that accepts WebSocket connections and sends every frame back. The text "close" makes it close. */
final class EchoSockets implements AutoCloseable {
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int TEXT = 1;
    private static final int CLOSE = 8;

    private final ServerSocket listening;
    private final Map<Socket, Boolean> open = new ConcurrentHashMap<>();
    private final List<String> heads = new CopyOnWriteArrayList<>();

    EchoSockets() {
        try {
            listening = new ServerSocket(0, 200, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort() + "/base";
    }

    List<String> heads() {
        return List.copyOf(heads);
    }

    int connections() {
        return open.size();
    }

    /** As if its process died. */
    void dropConnections() throws IOException {
        for (Socket socket : open.keySet()) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "echo-sockets");
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
            DataInputStream in = new DataInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            String head = head(in);
            heads.add(head);
            String key = head.replaceAll("(?is).*\r\nsec-websocket-key: *([^\r]*)\r.*", "$1");
            // The first frame follows in the same packet: nothing of it may be lost.
            ByteArrayOutputStream first = new ByteArrayOutputStream();
            first.writeBytes(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Accept: " + accept(key) + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            write(first, TEXT, "hello".getBytes(StandardCharsets.US_ASCII));
            first.writeTo(out);
            while (echo(in, out)) {
                continue;
            }
        } catch (IOException | GeneralSecurityException ended) {
            // by the gateway, or by the test
        } finally {
            open.remove(socket);
        }
    }

    private static String head(DataInputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        return head.toString();
    }

    private static String accept(String key) throws GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(digest);
    }

    private static boolean echo(DataInputStream in, OutputStream out) throws IOException {
        int first = in.readUnsignedByte();
        long length = in.readUnsignedByte() & 0x7f;
        length = length == 126 ? in.readUnsignedShort() : length == 127 ? in.readLong() : length;
        byte[] mask = in.readNBytes(4);
        byte[] payload = in.readNBytes((int) length);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i % 4];
        }
        boolean close = new String(payload, StandardCharsets.US_ASCII).equals("close");
        write(out, close ? CLOSE : first & 0x0f, close ? new byte[] {3, (byte) 0xe8} : payload);
        return !close && (first & 0x0f) != CLOSE;
    }

    private static void write(OutputStream out, int kind, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(0x80 | kind);
        if (payload.length < 126) {
            frame.write(payload.length);
        } else {
            frame.write(127);
            frame.writeBytes(
                    java.nio.ByteBuffer.allocate(8).putLong(payload.length).array());
        }
        frame.writeBytes(payload);
        frame.writeTo(out);
        out.flush();
    }

    @Override
    public void close() {
        try {
            listening.close();
            dropConnections();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
