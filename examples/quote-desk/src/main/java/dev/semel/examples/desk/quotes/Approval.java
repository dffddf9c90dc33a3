package dev.semel.examples.desk.quotes;

/** A request that somebody of the deal desk decides. */
public record Approval(String id, String quote) {}
