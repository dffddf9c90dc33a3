package dev.semel.store;

import dev.semel.key.RecordId;

/** Asks for a grant to be trusted for so long from now. */
public record Renewal(RecordId id, long fence, long leaseMillis) {}
