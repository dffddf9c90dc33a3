/** What the desk has done elsewhere, later: the channels and their messages. */
@NullMarked
package dev.semel.examples.desk.outbox;

import org.jspecify.annotations.NullMarked;
