package dev.semel.worker;

import dev.semel.Failure;
import dev.semel.audit.Redactor;
import dev.semel.execution.DeliveryResult;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.watch.Watch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs and measures deliveries that failed for good or are UNKNOWN, once that is written. */
final class ResultLog {
    private static final Logger LOG = LoggerFactory.getLogger(ResultLog.class);

    private final String operation;
    private final Watch watch;

    ResultLog(String operation, Watch watch) {
        this.operation = operation;
        this.watch = watch;
    }

    /** @param moved what the store answered; nothing when the result could not be written */
    void written(Row row, DeliveryResult result, @Nullable Moved moved) {
        if (moved == null || moved instanceof Moved.Refused) {
            return;
        }
        String tenant = row.header().tenant();
        switch (result.kind()) {
            case DEAD -> {
                Failure failure = Objects.requireNonNull(result.failure());
                watch.died(operation, tenant, failure.category());
                warn("{}/{} (tenant {}, correlation {}) is a dead letter: {}: {}", row, failure);
            }
            case DROPPED ->
                warn(
                        "{}/{} (tenant {}, correlation {}) failed and is dropped, because its policy keeps no dead letters: {}: {}",
                        row,
                        Objects.requireNonNull(result.failure()));
            case UNKNOWN -> watch.unknown(operation, tenant);
            default -> {}
        }
    }

    private void warn(String format, Row row, Failure failure) {
        LOG.warn(
                format,
                operation,
                row.id().prefix(),
                row.header().tenant(),
                row.header().correlationId(),
                failure.category().code(),
                Redactor.text(failure.reason()));
    }
}
