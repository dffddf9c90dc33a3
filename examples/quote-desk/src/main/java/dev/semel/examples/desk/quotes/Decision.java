package dev.semel.examples.desk.quotes;

import dev.semel.examples.desk.shared.Asked;

/** An answer to an approval request. */
public record Decision(String approval, boolean approve, Asked asked) {}
