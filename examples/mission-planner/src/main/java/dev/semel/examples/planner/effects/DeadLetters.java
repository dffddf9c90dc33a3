package dev.semel.examples.planner.effects;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.Failure;
import dev.semel.examples.planner.access.Caller;
import dev.semel.operator.Operator;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The dead letters of the caller's organisation. */
@Component
class DeadLetters {
    private static final int MOST = 100;

    private final Operator operator;

    DeadLetters(Operator operator) {
        this.operator = operator;
    }

    /**
     * @param id the id for {@code semel dead replay}
     * @param payloadHash the hash of the payload, which is not shown
     */
    record Letter(
            String id,
            String channel,
            int attempts,
            @JsonUnwrapped Why why,
            String payloadHash,
            String correlationId) {}

    /**
     * The failure; in JSON a part of the letter.
     *
     * @param reason the reason of the last attempt
     */
    record Why(@Nullable String category, @Nullable String reason) {}

    /** Newest first. */
    List<Letter> list(Caller caller) {
        RecordFilter own = new RecordFilter(caller.organisation(), null, true, Long.MAX_VALUE);
        return operator.letters().list(new UnresolvedMessages.MessageFilter(own, null, null), MOST).stream()
                .map(DeadLetters::letter)
                .toList();
    }

    private static Letter letter(Row row) {
        Failure failure = UnresolvedMessages.failure(row);
        return new Letter(
                row.id().hex(),
                row.header().operation(),
                row.status().attempt(),
                failure == null
                        ? new Why(null, null)
                        : new Why(failure.category().code(), failure.reason()),
                row.header().fingerprint().toString(),
                row.header().correlationId());
    }
}
