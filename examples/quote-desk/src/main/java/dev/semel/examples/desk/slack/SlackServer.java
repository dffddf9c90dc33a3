package dev.semel.examples.desk.slack;

import dev.semel.Semel;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.http.ingress.WebhookSource;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Where Slack sends commands, buttons and events by HTTP. Signed, and acknowledged when they are durable. */
public final class SlackServer implements AutoCloseable {
    private final Server server = new Server();
    private final int port;

    /** @param port 0 for a free one */
    public SlackServer(Semel semel, String signingSecret, int port) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        // region ingress
        WebhookSource slack = WebhookSource.slack("slack", WebhookSecrets.of(signingSecret));
        context.addServlet(new ServletHolder(new WebhookServlet(semel, Inbox.REQUESTS, slack)), "/slack");
        // endregion
        server.setHandler(context);
        server.start();
        this.port = connector.getLocalPort();
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The server for Slack did not stop.", e);
        }
    }
}
