package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;

/**
 * The state of a quote, as its status card shows it.
 *
 * @param quote whose card it is
 * @param text the whole card
 */
public record Card(String quote, String channel, String text, Asked asked) {}
