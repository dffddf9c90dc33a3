package dev.semel.testkit.fault;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection through the proxy: a thread for each direction. */
final class ProxiedConnection {
    /** ReadyForQuery: the server has answered everything. */
    private static final byte[] READY = {'Z', 0, 0, 0, 5};

    private static final byte[] SYNC = {'S', 0, 0, 0, 4};

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket server;
    private final @Nullable PostgresMessages messages;
    private final ByteArrayOutputStream swallowed = new ByteArrayOutputStream();
    private volatile FaultProxy.@Nullable Trap replyLost;

    ProxiedConnection(FaultProxy proxy, Socket client, Socket server, @Nullable PostgresMessages messages) {
        this.proxy = proxy;
        this.client = client;
        this.server = server;
        this.messages = messages;
    }

    void start() {
        pump("requests", this::requests);
        pump("replies", this::replies);
    }

    private void pump(String name, Direction direction) {
        Thread thread = new Thread(
                () -> {
                    try {
                        direction.run();
                    } catch (IOException e) {
                        reset();
                    } catch (InterruptedException e) {
                        reset();
                        Thread.currentThread().interrupt();
                    }
                },
                "fault-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Both ends see a reset. */
    void reset() {
        reset(client);
        reset(server);
        proxy.gone(this);
    }

    static void reset(Socket socket) {
        try (socket) {
            if (!socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // it was closed meanwhile
        }
    }

    /** An end of what the client says is passed on as such: the server may still answer. */
    private void requests() throws IOException, InterruptedException {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            for (PostgresMessages.Message message : messages(buffer, n)) {
                FaultProxy.Trap trap = message.executes() == null ? null : proxy.spring(message.executes());
                if (trap != null && trap.loss() == FaultProxy.Loss.REQUEST) {
                    reset();
                    trap.happened();
                    return;
                }
                if (trap != null && trap.loss() == FaultProxy.Loss.REQUEST_HELD) {
                    replyLost = trap;
                    reset(client);
                    trap.happened();
                    trap.awaitRelease();
                    out.write(message.bytes());
                    out.write(SYNC);
                    return;
                }
                if (trap != null) {
                    replyLost = trap;
                }
                write(out, message.bytes(), FaultProxy.NetworkState.REQUESTS_HELD);
            }
        }
        server.shutdownOutput();
    }

    private List<PostgresMessages.Message> messages(byte[] buffer, int length) {
        return messages == null
                ? List.of(new PostgresMessages.Message(Arrays.copyOf(buffer, length), null))
                : messages.read(buffer, length);
    }

    private void replies() throws IOException, InterruptedException {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            FaultProxy.Trap trap = replyLost;
            if (trap == null) {
                write(out, Arrays.copyOf(buffer, n), FaultProxy.NetworkState.REPLIES_HELD);
            } else {
                swallowed.write(buffer, 0, n);
                if (contains(swallowed.toByteArray(), READY)) {
                    reset();
                    trap.answered();
                    return;
                }
            }
        }
        reset();
    }

    private void write(OutputStream out, byte[] bytes, FaultProxy.NetworkState heldBack)
            throws IOException, InterruptedException {
        int sent = 0;
        while (proxy.trickles(heldBack) && sent < bytes.length) {
            out.write(bytes, sent++, 1);
            proxy.pause();
        }
        out.write(bytes, sent, bytes.length - sent);
    }

    private static boolean contains(byte[] all, byte[] part) {
        for (int i = 0; i + part.length <= all.length; i++) {
            if (Arrays.equals(all, i, i + part.length, part, 0, part.length)) {
                return true;
            }
        }
        return false;
    }

    @FunctionalInterface
    private interface Direction {
        void run() throws IOException, InterruptedException;
    }
}
