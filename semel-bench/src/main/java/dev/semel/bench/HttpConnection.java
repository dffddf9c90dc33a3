package dev.semel.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A client that keeps its connection and does as little as possible, because it shares the machine with the measured
 * server: one write, as few reads as the server allows, and of the headers only those that matter here. For one
 * thread.
 */
final class HttpConnection implements AutoCloseable {
    private static final int LARGEST = 64 << 10;
    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;
    private final byte[] buffer = new byte[LARGEST];
    private @Nullable Socket socket;
    private int at;
    private int end;

    HttpConnection(int port) {
        this.port = port;
    }

    /** @param replayed whether the server says that this answer was given before */
    record Reply(int status, boolean replayed, byte[] body) {
        String text() {
            return status + (replayed ? ", replayed, " : ", not replayed, ") + new String(body, StandardCharsets.UTF_8);
        }
    }

    private static final class Head {
        private int status;
        private boolean replayed;
        private boolean chunked;
        private boolean closing;
        private int length = -1;
    }

    Reply send(byte[] request) throws IOException {
        Socket open = socket;
        if (open == null) {
            open = new Socket(InetAddress.getLoopbackAddress(), port);
            open.setTcpNoDelay(true);
            open.setSoTimeout(PATIENCE_MILLIS);
            socket = open;
        }
        at = 0;
        end = 0;
        try {
            open.getOutputStream().write(request);
            return read(open.getInputStream());
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private Reply read(InputStream in) throws IOException {
        Head head = new Head();
        String first = line(in);
        if (!first.startsWith("HTTP/1.1 ") || first.length() < 12) {
            throw new IOException("This is no answer of HTTP/1.1: " + first);
        }
        head.status = Integer.parseInt(first.substring(9, 12));
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            header(head, line);
        }
        byte[] body = head.chunked ? chunks(in) : exactly(in, length(head));
        if (head.closing) {
            close();
        }
        return new Reply(head.status, head.replayed, body);
    }

    private static int length(Head head) throws IOException {
        if (head.length >= 0) {
            return head.length;
        }
        if (head.status == 204) {
            return 0;
        }
        throw new IOException("An answer with status " + head.status + " does not say how long it is.");
    }

    /** Looked at only where its first letter may be one of ours. */
    private static void header(Head head, String line) {
        switch (line.charAt(0) | 0x20) {
            case 'c' -> {
                if (is(line, "content-length:")) {
                    head.length = Integer.parseInt(value(line));
                } else if (is(line, "connection:")) {
                    head.closing = value(line).equalsIgnoreCase("close");
                }
            }
            case 't' -> {
                if (is(line, "transfer-encoding:")) {
                    head.chunked = value(line).toLowerCase(Locale.ROOT).endsWith("chunked");
                }
            }
            case 'i' -> {
                if (is(line, "idempotency-replayed:")) {
                    head.replayed = value(line).equals("true");
                }
            }
            default -> {
                // of no interest
            }
        }
    }

    private static boolean is(String line, String name) {
        return line.regionMatches(true, 0, name, 0, name.length());
    }

    private static String value(String line) {
        return line.substring(line.indexOf(':') + 1).strip();
    }

    private byte[] chunks(InputStream in) throws IOException {
        byte[] body = new byte[0];
        while (true) {
            int size = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
            if (size == 0) {
                while (!line(in).isEmpty()) {
                    // trailers
                }
                return body;
            }
            byte[] chunk = exactly(in, size);
            if (!line(in).isEmpty()) {
                throw new IOException("A chunk is longer than it says.");
            }
            byte[] longer = Arrays.copyOf(body, body.length + size);
            System.arraycopy(chunk, 0, longer, body.length, size);
            body = longer;
        }
    }

    private byte[] exactly(InputStream in, int size) throws IOException {
        while (end - at < size) {
            fill(in);
        }
        byte[] bytes = Arrays.copyOfRange(buffer, at, at + size);
        at += size;
        return bytes;
    }

    private String line(InputStream in) throws IOException {
        int from = at;
        while (true) {
            for (int i = from; i < end - 1; i++) {
                if (buffer[i] == '\r' && buffer[i + 1] == '\n') {
                    String line = new String(buffer, at, i - at, StandardCharsets.ISO_8859_1);
                    at = i + 2;
                    return line;
                }
            }
            from = Math.max(at, end - 1);
            fill(in);
        }
    }

    /** An answer must fit the buffer: those that are measured are small. */
    private void fill(InputStream in) throws IOException {
        if (end == buffer.length) {
            throw new IOException("An answer is longer than " + LARGEST + " bytes.");
        }
        int read = in.read(buffer, end, buffer.length - end);
        if (read < 0) {
            throw new EOFException("The server closed the connection before it had answered.");
        }
        end += read;
    }

    @Override
    public void close() throws IOException {
        Socket open = socket;
        socket = null;
        if (open != null) {
            open.close();
        }
    }
}
