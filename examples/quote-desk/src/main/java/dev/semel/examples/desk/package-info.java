/** The quote desk: a Slack bot that makes quotes, on one SQLite file, in which nothing happens twice. Start with {@link dev.semel.examples.desk.QuoteDesk}. */
@NullMarked
package dev.semel.examples.desk;

import org.jspecify.annotations.NullMarked;
