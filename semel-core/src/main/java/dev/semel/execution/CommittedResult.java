package dev.semel.execution;

import dev.semel.audit.FirstRun;
import dev.semel.key.Fingerprint;
import org.jspecify.annotations.Nullable;

/** A committed result, for duplicates that waited for it and for later callers of this process. */
record CommittedResult(Fingerprint fingerprint, byte @Nullable [] result, FirstRun first) {}
