package dev.semel.bench;

/** Webhooks of one source, sent to the server or to the bare Jetty. */
final class WebhookCells {
    private static final int OK = 200;

    private final ConnectionSet connections;
    private final SignedWebhooks webhooks;

    /** @param source its name, which is its path */
    WebhookCells(ConnectionSet connections, String source) {
        this.connections = connections;
        this.webhooks = new SignedWebhooks("/" + source);
    }

    /**
     * Each webhook is sent once and must be answered 200.
     *
     * @param atMost webhooks of one round
     * @param before done ahead of each round, such as waiting for deliveries
     */
    Cell cell(String name, int atMost, Cell.Body before) {
        return Cell.of(name, connections.size(), caller -> connections.send(caller, webhooks.next(), OK))
                .limited(atMost)
                .preparedBy(caller -> {
                    before.call(caller);
                    webhooks.prepare(atMost);
                });
    }

    /** How many were acknowledged, numbered from 0. Not while others are sent. */
    int acknowledged() {
        return webhooks.sent();
    }
}
