package dev.semel.jdbc.postgres;

import dev.semel.time.TimeSource;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.SocketFactory;

/**
 * Sockets whose replies are bounded as a whole. The driver's own time-out counts from byte to byte: a reply that trickles in
 * could hold a call, and its connection, for hours. Named to the driver, which makes one of the bound in milliseconds.
 */
public final class PostgresSockets extends SocketFactory {
    private static final TimeSource TIME = TimeSource.system();

    private final long boundNanos;

    /** @param boundMillis from the last byte that was sent to the end of its reply */
    public PostgresSockets(String boundMillis) {
        this.boundNanos = Duration.ofMillis(Long.parseLong(boundMillis)).toNanos();
    }

    @Override
    public Socket createSocket() {
        return new Bounded(boundNanos);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new java.net.InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(
                new java.net.InetSocketAddress(host, port), new java.net.InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new java.net.InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(
                new java.net.InetSocketAddress(host, port), new java.net.InetSocketAddress(localHost, localPort));
    }

    private Socket connected(java.net.SocketAddress to, java.net.@org.jspecify.annotations.Nullable SocketAddress from)
            throws IOException {
        Socket socket = createSocket();
        if (from != null) {
            socket.bind(from);
        }
        socket.connect(to);
        return socket;
    }

    private static final class Bounded extends Socket {
        private final long boundNanos;
        private volatile long sentAt = TIME.nanos();

        Bounded(long boundNanos) {
            this.boundNanos = boundNanos;
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    sentAt = TIME.nanos();
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    demandInTime();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    demandInTime();
                    return super.read(bytes, offset, length);
                }
            };
        }

        private void demandInTime() throws SocketTimeoutException {
            long passed = TIME.nanos() - sentAt;
            if (passed > boundNanos) {
                throw new SocketTimeoutException("the reply is not complete after "
                        + Duration.ofNanos(passed).toMillis() + " ms: the network is too slow");
            }
        }
    }
}
