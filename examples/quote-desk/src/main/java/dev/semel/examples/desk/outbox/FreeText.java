package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;

/** A sentence in which somebody asks for a quote. */
public record FreeText(String text, Asked asked) {}
