package dev.semel.http.ingress;

import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.TestDatabase;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A server for webhooks in a process of its own. It halts, without a word to anybody, where its arguments say. */
public final class IngressProcess implements AutoCloseable {
    private final Process process;
    private int port;

    private IngressProcess(Process process) {
        this.process = process;
    }

    /** Where a process halts. */
    enum HaltPoint {
        NOWHERE,
        /** The webhook is verified; the store was not called. */
        BEFORE_THE_COMMIT,
        /** The message is committed; the engine does not know yet. */
        AFTER_THE_COMMIT,
        /** The engine knows that it is committed; no byte of the reply has left. */
        BEFORE_THE_REPLY
    }

    private static final class HaltingStore extends ForwardingStore {
        private final HaltPoint halt;

        HaltingStore(Store delegate, HaltPoint halt) {
            super(delegate);
            this.halt = halt;
        }

        @Override
        public Optional<Queue> queue() {
            return delegate().queue().map(real -> new ForwardingQueue(real) {
                @Override
                public List<Enqueued> enqueue(List<Arrival> batch) {
                    haltAt(HaltPoint.BEFORE_THE_COMMIT, halt);
                    List<Enqueued> done = super.enqueue(batch);
                    haltAt(HaltPoint.AFTER_THE_COMMIT, halt);
                    return done;
                }
            });
        }
    }

    private static void haltAt(HaltPoint here, HaltPoint wanted) {
        if (here == wanted) {
            Runtime.getRuntime().halt(137);
        }
    }

    static WebhookSource source() {
        return Sender.STRIPE
                .source(WebhookSecrets.of(Sender.STRIPE.secret))
                .withClock(() -> Instant.ofEpochSecond(Endpoint.NOW));
    }

    /** Serves until its input ends; the first line that it prints is its port. */
    public static void main(String[] arguments) throws IOException {
        TestDatabase database = new TestDatabase(arguments[0], arguments[1]);
        HaltPoint halt = HaltPoint.valueOf(arguments[3]);
        Semel semel =
                EngineSettings.on(new HaltingStore(database.open(null), halt)).open();
        WebhookServlet servlet = new WebhookServlet(semel, Endpoint.INBOX, source()) {
            private static final long serialVersionUID = 1;

            @Override
            List<Sent> sendAll(List<Message<Webhook>> messages) {
                List<Sent> sent = super.sendAll(messages);
                haltAt(HaltPoint.BEFORE_THE_REPLY, halt);
                return sent;
            }
        };
        System.out.println(Container.valueOf(arguments[2])
                .serve((request, response, chain) -> chain.doFilter(request, response), servlet::service));
        while (System.in.read() >= 0) {
            // Whoever started it is still there.
        }
        Runtime.getRuntime().halt(0);
    }

    static IngressProcess start(TestDatabase database, Container container, HaltPoint halt) {
        try {
            return new IngressProcess(new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:-UsePerfData",
                            "-Xshare:auto",
                            "-XX:+IgnoreUnrecognizedVMOptions",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            IngressProcess.class.getName(),
                            database.url(),
                            database.jdbcUrl(),
                            container.name(),
                            halt.name()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Known when it serves. */
    synchronized int port() {
        if (port == 0) {
            try {
                String line = new BufferedReader(
                                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                        .readLine();
                if (line == null) {
                    throw new AssertionError("the server did not start");
                }
                port = Integer.parseInt(line);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return port;
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        halted();
    }

    /** Waits for the process to have ended. */
    void halted() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the server did not halt");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
