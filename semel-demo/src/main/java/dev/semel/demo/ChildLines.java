package dev.semel.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * How a process of the demo speaks with the demo: lines of words in and out. It ends with its input, so that no process outlives the
 * demo.
 */
final class ChildLines {
    private static final PrintStream OUT = System.out;

    private ChildLines() {}

    /** One line, in one write: what was said before a kill is said. */
    static void say(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (OUT) {
            OUT.write(bytes, 0, bytes.length);
            OUT.flush();
        }
    }

    /** Listens on a thread of its own; when the input ends, this process ends. */
    static void onEach(Consumer<String[]> listener) {
        Thread thread = new Thread(
                () -> {
                    listen(listener);
                    Runtime.getRuntime().halt(0);
                },
                "demo-input");
        thread.setDaemon(true);
        thread.start();
    }

    /** Returns when the input ends. */
    static void listen(Consumer<String[]> listener) {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                listener.accept(line.split(" "));
            }
        } catch (IOException e) {
            // The demo has ended, as at the end of the input.
            return;
        }
    }
}
