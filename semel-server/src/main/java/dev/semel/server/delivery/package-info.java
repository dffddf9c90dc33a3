/**
 * Delivers webhooks to destinations by HTTP POST: what may be connected to, the shared client, one delivery and its failure, the attempts
 * that were made, and the health of each destination.
 */
@NullMarked
package dev.semel.server.delivery;

import org.jspecify.annotations.NullMarked;
