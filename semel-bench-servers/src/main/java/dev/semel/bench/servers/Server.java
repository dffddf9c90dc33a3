package dev.semel.bench.servers;

import dev.semel.examples.planner.MissionPlanner;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A server as the bench wants it. It connects to the bench, says when it serves, answers what it is asked, and ends when the
 * bench is gone.
 */
public final class Server {
    private static final int COLLECTIONS = 3;
    private static final String BY_HAND = "-by-hand";

    private Server() {}

    /** @param arguments the bench's port; then service, level, JDBC URL and number of connections */
    public static void main(String[] arguments) throws IOException {
        try (Socket bench = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
                ConfigurableApplicationContext context = start(arguments)) {
            say(bench, "ready " + context.getEnvironment().getRequiredProperty("local.server.port"));
            BufferedReader asked =
                    new BufferedReader(new InputStreamReader(bench.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = asked.readLine(); line != null; line = asked.readLine()) {
                say(bench, line.equals("heap") ? Long.toString(heap()) : "unknown");
            }
        }
    }

    private static void say(Socket bench, String line) throws IOException {
        OutputStream out = bench.getOutputStream();
        out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static long heap() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static ConfigurableApplicationContext start(String[] arguments) {
        boolean orders = arguments[1].equals("orders");
        List<String> settings = new ArrayList<>(List.of(
                "--spring.config.name=" + (orders ? "orders" : "application"),
                "--spring.datasource.url=" + arguments[3],
                "--spring.datasource.hikari.maximum-pool-size=" + arguments[4],
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--server.address=127.0.0.1",
                "--server.port=0",
                // A client keeps its connection for as long as it is measured.
                "--server.tomcat.max-keep-alive-requests=-1",
                "--server.tomcat.keep-alive-timeout=1h"));
        if (arguments[2].endsWith(BY_HAND)) {
            settings.add("--semel.enabled=false");
            settings.add("--bench.by-hand=" + arguments[2].replace(BY_HAND, ""));
        } else if (!arguments[2].equals("bare")) {
            settings.add("--semel.http.level=" + arguments[2]);
        } else {
            // The example sends by Semel, filter or not.
            settings.add(orders ? "--semel.enabled=false" : "--semel.http.enabled=false");
        }
        return new SpringApplicationBuilder(orders ? OrderService.class : MissionPlanner.class)
                .run(settings.toArray(String[]::new));
    }
}
