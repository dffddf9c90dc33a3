package dev.semel.examples.desk.quotes;

import dev.semel.examples.desk.shared.Asked;

/** A change of a quote in the version that the user saw. */
public record Change(String quote, long version, Asked asked) {}
