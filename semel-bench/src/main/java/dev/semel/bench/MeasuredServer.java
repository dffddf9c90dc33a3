package dev.semel.bench;

import dev.semel.cli.Main;
import dev.semel.server.JettyServer;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.listen.BodyRule;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of a server that {@code bench ingress} measures, as {@link HttpServer} controls it: {@code semel serve}, or the same Jetty
 * without a ledger. It ends when the bench is gone.
 */
public final class MeasuredServer {
    /** Time after which a connection that sends nothing is closed: the load generator keeps its connections. */
    static final Duration IDLE = Duration.ofHours(1);

    private static final int COLLECTIONS = 3;
    private static final int LARGEST_BODY = 1 << 20;
    private static final int LARGEST_HEAD = 16 << 10;
    private static final int MOST_CONNECTIONS = 1_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final byte[] READY =
            "GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private MeasuredServer() {}

    /**
     * @param arguments the port of the bench; then {@code serve}, the configuration and its port; or {@code bare}, the JDBC URL of the
     *     database of the API behind the gateway, and the number of connections to it
     */
    public static void main(String[] arguments) {
        try (Socket bench = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
            int port = arguments[1].equals("bare") ? bare(arguments) : serve(arguments);
            say(bench, "ready " + port);
            BufferedReader asked =
                    new BufferedReader(new InputStreamReader(bench.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = asked.readLine(); line != null; line = asked.readLine()) {
                say(bench, line.equals("heap") ? Long.toString(heap()) : "unknown");
            }
            Runtime.getRuntime().halt(0);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static int bare(String[] arguments) throws IOException, GeneralSecurityException {
        ServerConfig.RequestLimits limits = new ServerConfig.RequestLimits(MOST_CONNECTIONS, LARGEST_HEAD, IDLE);
        JettyServer jetty = new JettyServer(
                new ServerConfig.Listen("127.0.0.1", 0, null, limits, Duration.ZERO),
                new BareServlet(arguments[2], Integer.parseInt(arguments[3])),
                request -> BodyRule.AwaitedBody.whole(LARGEST_BODY));
        jetty.start();
        return jetty.port();
    }

    /** Returns when it reaches its store. If the command ends before, so does the process, with the command's words in its log. */
    private static int serve(String[] arguments) throws IOException {
        Thread command = new Thread(() -> Main.main(new String[] {"serve", arguments[2]}), "serve");
        command.setDaemon(true);
        command.start();
        int port = Integer.parseInt(arguments[3]);
        try (HttpConnection connection = new HttpConnection(port)) {
            while (!isReady(connection)) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
        return port;
    }

    private static boolean isReady(HttpConnection connection) {
        try {
            return connection.send(READY).status() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static void say(Socket bench, String line) throws IOException {
        bench.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static long heap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
