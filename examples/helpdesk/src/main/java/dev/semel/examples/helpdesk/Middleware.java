package dev.semel.examples.helpdesk;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.http.ingress.EventField;
import dev.semel.http.ingress.EventKey;
import dev.semel.http.ingress.HmacHeader;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.http.ingress.WebhookSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

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

    /** Opens it and begins to work: what was left unfinished is continued. */
    public Middleware(Settings settings, UnaryOperator<Semel.Settings> more) throws Exception {
        semel = more.apply(Semel.settings(settings.store())).open();
        createTables();
        HelpdeskApi helpdesk = new HelpdeskApi(settings.helpdesk(), Duration.ofSeconds(2));
        missed = new MissedTickets(semel, helpdesk);
        new Decisions().register(semel);
        // region act
        Channel.Capacity capacity = Channel.Capacity.of(8)
                .withRateLimit(Channel.RateLimit.perSecond(50))
                .withBreaker(Channel.Breaker.usual());
        semel.handle(Channels.ACT, capacity, (action, run) -> helpdesk.act(action));
        // endregion
        port = listen(settings.secret());
    }

    private int listen(String secret) throws Exception {
        // region ingress
        EventKey key = EventKey.of(EventField.json("/conversation_id"), EventField.json("/message_id"))
                .orElse(EventKey.textInBucket(
                        EventField.json("/conversation_id"), EventField.json("/text"), TicketEvent.BUCKET));
        WebhookSource source = WebhookSource.hmac(
                        TicketEvent.SOURCE,
                        WebhookSecrets.of(secret),
                        HmacHeader.of("X-Helpdesk-Signature").withPrefix("sha256="),
                        key.orElse(EventKey.bodyDigest()))
                .withLane(EventField.json("/conversation_id"));
        // endregion
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new WebhookServlet(semel, Channels.INBOX, source)), "/webhooks");
        server.setHandler(context);
        server.start();
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
    public int sendMissing() throws InterruptedException {
        return missed.sendMissing();
    }

    /** The conversations that wait for a human, because an action or a webhook of theirs is a dead letter. */
    public List<String> handovers() throws SQLException {
        return semel.inTransaction(tx -> {
            List<String> conversations = new ArrayList<>();
            try (Statement statement = tx.connection().createStatement();
                    ResultSet rows = statement.executeQuery(
                            "SELECT conversation FROM helpdesk_handover ORDER BY conversation")) {
                while (rows.next()) {
                    conversations.add(rows.getString(1));
                }
            }
            return conversations;
        });
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
