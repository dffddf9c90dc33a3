package dev.semel.server.listen;

import java.time.Duration;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.ServerConnector;

/** Puts the limits of this package in front of a handler. */
public final class SlowClients {
    private SlowClients() {}

    /**
     * @param longestHead from the end of an answer, or from the connection, to the end of the next request's header section
     * @param perNetwork connections at once of one IPv4 address, or one IPv6 network of 64 bits
     */
    public static Handler limit(
            ServerConnector connector, Handler handler, BodyRule rule, Duration longestHead, int perNetwork) {
        connector.addBean(new NetworkConnections(perNetwork));
        HeadTimeout heads = new HeadTimeout(longestHead);
        connector.addBean(heads.connections());
        heads.setHandler(new AnswerTimeout(new BodyFirst(handler, rule)));
        return heads;
    }
}
