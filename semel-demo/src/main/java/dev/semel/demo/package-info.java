/**
 * The command {@code demo}: a sender, a server with its workers and an unreliable receiver, processes that are killed, and a score that is
 * counted in the receiver's own log.
 */
@NullMarked
package dev.semel.demo;

import org.jspecify.annotations.NullMarked;
