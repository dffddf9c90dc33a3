/** The server: it takes webhooks in, routes them and delivers them, on Jetty and the ledger that its configuration names. */
@NullMarked
package dev.semel.server;

import org.jspecify.annotations.NullMarked;
