package dev.semel.examples.helpdesk;

import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.http.ingress.EventField;
import dev.semel.http.ingress.EventKey;
import dev.semel.http.ingress.HmacHeader;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.http.ingress.WebhookSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/** The middleware: a ledger, its handlers, and a signed endpoint for webhooks on a free port of this machine. */
public final class Middleware implements AutoCloseable {
    private final Semel semel;
    private final MissedTickets missed;
    private final Server server = new Server();
    private final int port;

    /**
     * @param store the ledger: {@code sqlite:FILE} or {@code postgresql://...}
     * @param helpdesk its API
     * @param secret that signs webhooks; 16 characters or more
     */
    public record Settings(String store, URI helpdesk, String secret) {
        @Override
        public String toString() {
            return "Settings[" + helpdesk + "]";
        }
    }

    /**
     * What tests and the demo change.
     *
     * @param settings more settings of Semel
     * @param clock of everything, or null for the machine's and the store's
     * @param timeout of a call to the helpdesk
     * @param checkpoint is told where the middleware is
     */
    public record Options(
            UnaryOperator<Semel.Settings> settings,
            @Nullable InstantSource clock,
            Duration timeout,
            Checkpoint checkpoint) {
        private static final List<Policy> POLICIES = List.of(Webhook.INBOX, Channels.HELPDESK);

        /** As in production. */
        public static final Options USUAL =
                new Options(settings -> settings, null, Duration.ofSeconds(2), Checkpoint.NONE);

        /** With another clock. */
        public Options withClock(InstantSource value) {
            return new Options(settings, value, timeout, checkpoint);
        }

        /** With another time-out of calls to the helpdesk. */
        public Options withTimeout(Duration value) {
            return new Options(settings, clock, value, checkpoint);
        }

        /** With something that is told where the middleware is. */
        public Options withCheckpoint(Checkpoint value) {
            return new Options(settings, clock, timeout, value);
        }

        /** A crash is noticed after so long, in place of a minute. */
        public Options withLease(Duration lease) {
            return new Options(
                    all -> {
                        Semel.Settings changed = settings.apply(all);
                        for (Policy policy : POLICIES) {
                            changed = changed.withPolicy(
                                    policy.toBuilder().withLease(lease).build());
                        }
                        return changed;
                    },
                    clock,
                    timeout,
                    checkpoint);
        }

        private Semel open(String store) {
            Semel.Settings all = settings.apply(Semel.settings(store));
            return (clock == null ? all : all.withClock(clock)).open();
        }

        private InstantSource time() {
            return clock == null ? InstantSource.system() : clock;
        }
    }

    private Middleware(Settings settings, Options options) throws Exception {
        semel = options.open(settings.store());
        createTables();
        HelpdeskApi helpdesk = new HelpdeskApi(settings.helpdesk(), options.timeout(), options.time());
        missed = new MissedTickets(semel, helpdesk);
        new Decisions(options.checkpoint()).register(semel);
        new HelpdeskCalls(semel, helpdesk, options.checkpoint()).register();
        port = listen(source(settings.secret()).withClock(options.time()));
    }

    /** Opens it and begins to work: what was left unfinished is continued. */
    public static Middleware open(Settings settings, Options options) throws Exception {
        return new Middleware(settings, options);
    }

    private static WebhookSource source(String secret) {
        // region ingress
        EventKey key = EventKey.of(EventField.json("/conversation_id"), EventField.json("/message_id"))
                .orElse(EventKey.textInBucket(
                        EventField.json("/conversation_id"), EventField.json("/text"), TicketEvent.BUCKET));
        return WebhookSource.hmac(
                        TicketEvent.SOURCE,
                        WebhookSecrets.of(secret),
                        HmacHeader.of("X-Helpdesk-Signature").withPrefix("sha256="),
                        key.orElse(EventKey.bodyDigest()))
                .withLane(EventField.json("/conversation_id"))
                .withVaryingFields("rule", "sent_at");
        // endregion
    }

    private int listen(WebhookSource source) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        // region jetty
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new WebhookServlet(semel, Channels.INBOX, source)), "/webhooks");
        server.setHandler(context);
        server.start();
        // endregion
        return connector.getLocalPort();
    }

    private void createTables() throws Exception {
        String schema = schema();
        semel.inTransaction(tx -> {
            try (Statement statement = tx.connection().createStatement()) {
                for (String each : schema.split(";\\s*\n")) {
                    statement.execute(each);
                }
            }
            return null;
        });
    }

    private static String schema() throws IOException {
        try (InputStream file = Objects.requireNonNull(Middleware.class.getResourceAsStream("/helpdesk.sql"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Sends in what never arrived; returns how many messages that were. */
    public int sendMissing() throws Exception {
        return missed.sendMissing();
    }

    /** The conversations that wait for a human: something of theirs is a dead letter, cannot be read, or waits for a login. */
    public List<String> handovers() throws Exception {
        return semel.inTransaction(tx -> Handovers.conversations(tx.connection()));
    }

    /** A human has looked after a conversation; returns whether it was handed over. */
    public boolean closeHandover(String conversation) throws Exception {
        return semel.inTransaction(tx -> Handovers.close(tx.connection(), conversation));
    }

    /** Where webhooks come in: {@code http://127.0.0.1:PORT/webhooks}. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The server for webhooks did not stop.", e);
        } finally {
            semel.close();
        }
    }
}
