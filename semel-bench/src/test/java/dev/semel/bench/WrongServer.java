package dev.semel.bench;

import com.sun.net.httpserver.HttpExchange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** In place of {@code semel serve}: a server that is wrong. The bare Jetty is the usual one. */
final class WrongServer {
    /** What is wrong with it. */
    enum Kind {
        /** Everything is acknowledged, and nothing is stored or delivered. */
        KEEPS_NOTHING,
        ANSWERS_503,
        /** It does not begin to serve. */
        DIES
    }

    private WrongServer() {}

    /** @param arguments the kind, then those of {@link MeasuredServer} */
    public static void main(String[] arguments) throws IOException {
        Kind kind = Kind.valueOf(arguments[0]);
        List<String> rest = new ArrayList<>(List.of(arguments).subList(1, arguments.length));
        if (rest.get(1).equals("bare")) {
            MeasuredServer.main(rest.toArray(String[]::new));
            return;
        }
        if (kind == Kind.DIES) {
            throw new IllegalStateException("No server today.");
        }
        try (Socket bench = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(rest.get(0)))) {
            bench.getOutputStream().write(("ready " + serve(kind) + "\n").getBytes(StandardCharsets.US_ASCII));
            BufferedReader asked =
                    new BufferedReader(new InputStreamReader(bench.getInputStream(), StandardCharsets.US_ASCII));
            while (asked.readLine() != null) {
                bench.getOutputStream().write("1000000\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static int serve(Kind kind) throws IOException {
        com.sun.net.httpserver.HttpServer server =
                com.sun.net.httpserver.HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> handle(kind, exchange));
        server.start();
        return server.getAddress().getPort();
    }

    private static void handle(Kind kind, HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(kind == Kind.KEEPS_NOTHING ? 200 : 503, -1);
        exchange.close();
    }
}
