package dev.semel.testkit.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A bad network on loopback: forwards connections to a server and cuts, stalls or slows them on request. In front of
 * a PostgreSQL it parses the unencrypted protocol, so that a connection can be lost exactly at a COMMIT. Held bytes
 * are delivered when the network heals, as TCP would. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final InetSocketAddress server;
    private final ServerSocket listener;
    private final boolean postgres;
    private NetworkState weather = NetworkState.FAIR;
    private Duration betweenBytes = Duration.ofSeconds(1);
    private @Nullable Trap trap;

    private FaultProxy(int serverPort, boolean postgres) throws IOException {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        this.postgres = postgres;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread accepting = new Thread(this::accept, "fault-proxy-accept");
        accepting.setDaemon(true);
        accepting.start();
    }

    /** Starts a proxy on a free port of loopback, to a server on loopback. */
    public static FaultProxy to(int serverPort) throws IOException {
        return new FaultProxy(serverPort, false);
    }

    /** The same in front of a PostgreSQL, whose statements it knows. */
    public static FaultProxy toPostgres(int serverPort) throws IOException {
        return new FaultProxy(serverPort, true);
    }

    /** The port that clients connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Lets everything pass again, held bytes first. */
    public void heal() {
        change(NetworkState.FAIR);
    }

    /** Holds back everything in both directions; connections stay open. */
    public void stall() {
        change(NetworkState.STALLED);
    }

    /** Holds back what clients say. They hear what the server says. */
    public void dropRequests() {
        change(NetworkState.REQUESTS_HELD);
    }

    /** Holds back what the server says. It hears what clients say. */
    public void dropReplies() {
        change(NetworkState.REPLIES_HELD);
    }

    /** Passes one byte a second in each direction. */
    public void trickle() {
        change(NetworkState.TRICKLING, Duration.ofSeconds(1));
    }

    /** Passes what clients say as it is, and what the server says byte by byte, with this pause after each. */
    public void trickleReplies(Duration pause) {
        change(NetworkState.REPLIES_TRICKLING, pause);
    }

    /** Resets every connection and refuses new ones until it heals. */
    public void partition() {
        change(NetworkState.PARTED);
        cut();
    }

    /** Resets every connection there is; new ones pass. */
    public void cut() {
        connections.forEach(ProxiedConnection::reset);
    }

    /** Sets a trap for the next COMMIT on any connection. */
    public Trap atCommit(Loss loss) {
        return at(sql -> sql.equalsIgnoreCase("commit"), loss);
    }

    /** Sets a trap for the next execution of such a statement on any connection; it replaces one that has not sprung. */
    public synchronized Trap at(Predicate<String> statement, Loss loss) {
        if (!postgres) {
            throw new IllegalStateException("This proxy does not read statements. Use FaultProxy.toPostgres.");
        }
        trap = new Trap(statement, loss);
        return trap;
    }

    /** How many connections there are. */
    public int connections() {
        return connections.size();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        heal();
        cut();
    }

    private synchronized void change(NetworkState next) {
        weather = next;
        notifyAll();
    }

    private synchronized void change(NetworkState next, Duration pause) {
        betweenBytes = pause;
        change(next);
    }

    /** Waits while this direction is held back; says whether it trickles. */
    synchronized boolean trickles(NetworkState heldBack) throws InterruptedException {
        while (weather == NetworkState.STALLED || weather == heldBack) {
            wait();
        }
        return weather == NetworkState.TRICKLING
                || weather == NetworkState.REPLIES_TRICKLING && heldBack == NetworkState.REPLIES_HELD;
    }

    /** Waits between two bytes, or until the weather changes. */
    synchronized void pause() throws InterruptedException {
        NetworkState now = weather;
        long end = System.nanoTime() + betweenBytes.toNanos();
        for (long left = end - System.nanoTime(); weather == now && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** Springs the trap, if one is set for this statement. */
    synchronized @Nullable Trap spring(String statement) {
        Trap set = trap;
        if (set == null || !set.statement.test(statement)) {
            return null;
        }
        trap = null;
        return set;
    }

    void gone(ProxiedConnection connection) {
        connections.remove(connection);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (parted()) {
                    ProxiedConnection.reset(client);
                } else {
                    connect(client);
                }
            } catch (SocketException e) {
                // closed: the loop ends
            } catch (IOException e) {
                // this client had no luck; the next may
            }
        }
    }

    private synchronized boolean parted() {
        return weather == NetworkState.PARTED;
    }

    private void connect(Socket client) throws IOException {
        Socket onward = new Socket();
        try {
            onward.connect(server);
        } catch (IOException e) {
            onward.close();
            ProxiedConnection.reset(client);
            return;
        }
        ProxiedConnection connection =
                new ProxiedConnection(this, client, onward, postgres ? new PostgresMessages() : null);
        connections.add(connection);
        connection.start();
    }

    enum NetworkState {
        FAIR,
        STALLED,
        REQUESTS_HELD,
        REPLIES_HELD,
        TRICKLING,
        REPLIES_TRICKLING,
        PARTED
    }

    /** The message that is lost at a statement; the client's connection is reset each time. */
    public enum Loss {
        /** The server never hears of it, and loses the connection too: it is rolled back. */
        REQUEST,
        /** The server carries it out and answers; the client never hears the answer. */
        REPLY,
        /** The server does not hear of it until {@link Trap#release}: its transaction stays in flight meanwhile. */
        REQUEST_HELD
    }

    /** A fault that waits for its statement. */
    public static final class Trap {
        private final Predicate<String> statement;
        private final Loss loss;
        private final CountDownLatch sprung = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final CountDownLatch answered = new CountDownLatch(1);

        Trap(Predicate<String> statement, Loss loss) {
            this.statement = statement;
            this.loss = loss;
        }

        /** Waits until the client has lost its connection; says whether it did within the bound. */
        public boolean awaitSprung(Duration bound) throws InterruptedException {
            return sprung.await(bound.toNanos(), TimeUnit.NANOSECONDS);
        }

        /** Waits until the server has answered the statement; says whether it did within the bound. */
        public boolean awaitAnswered(Duration bound) throws InterruptedException {
            return answered.await(bound.toNanos(), TimeUnit.NANOSECONDS);
        }

        /** Forwards a held request to the server. */
        public void release() {
            released.countDown();
        }

        Loss loss() {
            return loss;
        }

        void happened() {
            sprung.countDown();
        }

        void answered() {
            answered.countDown();
            sprung.countDown();
        }

        void awaitRelease() throws InterruptedException {
            released.await();
        }
    }
}
