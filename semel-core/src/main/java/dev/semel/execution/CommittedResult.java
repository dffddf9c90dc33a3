package dev.semel.execution;

import dev.semel.audit.FirstRun;
import dev.semel.key.PayloadVersions.StoredPayload;
import org.jspecify.annotations.Nullable;

/**
 * A committed result, for duplicates that waited for it and for later callers of this process.
 *
 * @param payload of the record that has it
 */
record CommittedResult(StoredPayload payload, byte @Nullable [] result, FirstRun first) {}
