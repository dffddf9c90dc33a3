package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.store.Row;
import dev.semel.time.TimeSource;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;

/** Reports calls and what becomes of them to the watch, with the clock that times them. */
record CallWatch(Watch watch, TimeSource time) {
    /** Starts the span of one call. */
    Span begin(Operation<?, ?> operation, Call<?> call) {
        return begin(operation.name(), call.tenant().name());
    }

    Span begin(String operation, String tenant) {
        return Span.begin(watch, time, operation, tenant);
    }

    /** Whether anybody watches. */
    boolean isWatched() {
        return watch != Watch.NONE;
    }

    /** An attempt failed and another follows. */
    void retries(PreparedCall<?, ?> prepared, Failure failure) {
        watch.retries(prepared.header().operation(), prepared.header().tenant(), prepared.policy(), failure.category());
    }

    /** It became a dead letter. */
    void died(PreparedCall<?, ?> prepared, Failure failure) {
        watch.died(prepared.header().operation(), prepared.header().tenant(), failure.category());
    }

    /** It became UNKNOWN. */
    void unknown(PreparedCall<?, ?> prepared) {
        watch.unknown(prepared.header().operation(), prepared.header().tenant());
    }

    /** As {@link #unknown(PreparedCall)}, of a record that was found. */
    void unknown(Row row) {
        watch.unknown(row.header().operation(), row.header().tenant());
    }

    /** It was granted again after its last owner let its lease run out. */
    void takenOver(PreparedCall<?, ?> prepared) {
        watch.takenOver(prepared.header().operation(), prepared.header().tenant());
    }
}
