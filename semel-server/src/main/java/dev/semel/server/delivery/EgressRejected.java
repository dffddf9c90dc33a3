package dev.semel.server.delivery;

import java.io.IOException;

/**
 * A delivery may not go where it was to go; nothing was connected to. Its message names the destination and the rule, and no address: who
 * reads it learns nothing about networks that the operator did not name.
 */
final class EgressRejected extends IOException {
    private static final long serialVersionUID = 1;

    EgressRejected(String destination, String why) {
        super("destination " + destination + ": rejected: " + why, null);
    }
}
