package dev.semel.store;

import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a record when it is made, and never changes.
 *
 * @param parent the record of which this is a step
 */
public record Header(
        String tenant,
        String operation,
        String key,
        Fingerprint fingerprint,
        String correlationId,
        @Nullable RecordId parent) {}
