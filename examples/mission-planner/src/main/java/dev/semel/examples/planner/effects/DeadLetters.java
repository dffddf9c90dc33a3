package dev.semel.examples.planner.effects;

import dev.semel.Failure;
import dev.semel.examples.planner.access.Caller;
import dev.semel.operator.Letters;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Messages that were given up, of the caller's organisation. */
@Component
class DeadLetters {
    private static final int MOST = 100;

    private final Operator operator;

    DeadLetters(Operator operator) {
        this.operator = operator;
    }

    /**
     * @param id as the command line takes it: {@code semel dead replay}
     * @param reason what the last attempt said
     */
    record Letter(
            String id,
            String channel,
            int attempts,
            @Nullable String category,
            @Nullable String reason,
            String correlationId) {}

    /** The newest first. */
    List<Letter> list(Caller caller) {
        RecordFilter own = new RecordFilter(caller.organisation(), null, true, Long.MAX_VALUE);
        return operator.letters().list(new Letters.Which(own, null, null), MOST).stream()
                .map(DeadLetters::letter)
                .toList();
    }

    private static Letter letter(Row row) {
        Failure failure = Letters.failure(row);
        return new Letter(
                row.id().hex(),
                row.header().operation(),
                row.status().attempt(),
                failure == null ? null : failure.category().code(),
                failure == null ? null : failure.reason(),
                row.header().correlationId());
    }
}
