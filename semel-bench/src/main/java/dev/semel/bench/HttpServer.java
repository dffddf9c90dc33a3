package dev.semel.bench;

import dev.semel.SemelException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server under measurement, in its own process. */
final class HttpServer implements AutoCloseable {
    private static final int LOOK_MILLIS = 250;
    private static final int STARTS_WITHIN_SECONDS = 180;
    private static final int ENDS_WITHIN_SECONDS = 20;

    /** The level of protection of the POST. */
    enum Level {
        /** Nothing: without the filter. */
        BARE,
        SPAN,
        MARKER,
        /** The statements of the level, written by hand, without the filter. */
        SPAN_BY_HAND,
        MARKER_BY_HAND;

        String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final String name;
    private final Process process;
    private final Socket control;
    private final BufferedReader said;
    private final Path log;
    private final int port;

    private HttpServer(String name, Process process, Socket control, Path log) throws IOException {
        this.name = name;
        this.process = process;
        this.control = control;
        this.log = log;
        this.said = new BufferedReader(new InputStreamReader(control.getInputStream(), StandardCharsets.US_ASCII));
        String[] ready = answer().split(" ");
        if (ready.length != 2 || !ready[0].equals("ready")) {
            throw new IOException("it says \"" + String.join(" ", ready) + "\" instead of its port");
        }
        this.port = Integer.parseInt(ready[1]);
    }

    /** Returns when it serves. */
    static HttpServer start(String name, List<String> java, List<String> arguments) {
        Process process = null;
        Path log = null;
        try (ServerSocket controller = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            log = Files.createTempFile("semel-bench-http", ".log");
            List<String> command = new ArrayList<>(java);
            command.add(Integer.toString(controller.getLocalPort()));
            command.addAll(arguments);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            process.getOutputStream().close();
            return new HttpServer(name, process, accepted(controller, process), log);
        } catch (IOException e) {
            String story = end(process, log);
            throw new SemelException.Misconfigured(
                    "bench", List.of("the server \"" + name + "\" did not start: " + e.getMessage() + story));
        }
    }

    private static Socket accepted(ServerSocket controller, Process process) throws IOException {
        controller.setSoTimeout(LOOK_MILLIS);
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(STARTS_WITHIN_SECONDS);
        while (System.nanoTime() - until < 0) {
            try {
                Socket control = controller.accept();
                control.setSoTimeout((int) TimeUnit.SECONDS.toMillis(STARTS_WITHIN_SECONDS));
                return control;
            } catch (SocketTimeoutException e) {
                if (!process.isAlive()) {
                    throw new IOException("its process ended with " + process.exitValue(), e);
                }
            }
        }
        throw new IOException("it was not heard of within " + STARTS_WITHIN_SECONDS + " seconds");
    }

    private static String end(@Nullable Process process, @Nullable Path log) {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
        try {
            if (log == null) {
                return "";
            }
            String text = Files.readString(log).strip();
            Files.delete(log);
            return text.isEmpty() ? "" : ". It wrote:\n" + text;
        } catch (IOException e) {
            return ". What it wrote cannot be read (" + e.getMessage() + ")";
        }
    }

    private String answer() throws IOException {
        String line = said.readLine();
        if (line == null) {
            throw new IOException("it ended");
        }
        return line;
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    /** Bytes in use after collections. */
    long heap() {
        try {
            control.getOutputStream().write("heap\n".getBytes(StandardCharsets.US_ASCII));
            return Long.parseLong(answer());
        } catch (IOException e) {
            throw new UncheckedIOException("The server \"" + name + "\" cannot be asked for its heap", e);
        }
    }

    /** It ends by itself when its controller is gone. */
    @Override
    public void close() {
        try {
            control.close();
            if (!process.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().onExit().join();
            }
            Files.deleteIfExists(log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
