package dev.semel.server.delivery;

import dev.semel.audit.EventType;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How the deliveries of a channel went on all nodes, also before this one started, as the audit tells it. Attempts that an operator asked for
 * do not count.
 */
public final class DestinationHistory {
    private static final int PAGE = 1_000;
    private static final int MOST_PAGES = 10;

    /** Whether a success came from a replay needs a question for each; after so many it counts in any case. */
    private static final int MOST_QUESTIONS = 20;

    private final Operator operator;
    private final String channel;
    private final Map<RecordId, Long> failures = new HashMap<>();
    private @Nullable Long fresh;
    private int questions;

    private DestinationHistory(Operator operator, String channel) {
        this.operator = operator;
        this.channel = channel;
    }

    /**
     * @param freshStart the last success, or when its channel was last resumed, whichever is later; null when neither was found
     * @param failingSince the oldest failure after that which was found; null when there was none
     */
    record PastDeliveries(
            @Nullable Instant freshStart, @Nullable Instant failingSince) {}

    /**
     * The newest attempts of a channel on all nodes, newest first, as far back as the newest events of the channel tell of them. An
     * attempt whose credentials were rejected is none: the event of the pause that follows tells of it.
     *
     * @param limit at most so many
     */
    public static List<AttemptRecord> attempts(Operator operator, String channel, int limit) {
        List<AttemptRecord> attempts = new ArrayList<>();
        new DestinationHistory(operator, channel).walk(row -> {
            AttemptRecord.of(row).ifPresent(attempts::add);
            return attempts.size() < limit;
        });
        return attempts;
    }

    static PastDeliveries read(Operator operator, String channel) {
        DestinationHistory history = new DestinationHistory(operator, channel);
        history.walk(row -> {
            history.read(row);
            return history.fresh == null;
        });
        Long oldest = history.failures.values().stream()
                .min(Comparator.naturalOrder())
                .orElse(null);
        return new PastDeliveries(instant(history.fresh), instant(oldest));
    }

    private static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }

    /** @param visitor returns whether to continue */
    private void walk(Predicate<AuditRow> visitor) {
        AuditFilter ofChannel = new AuditFilter(null, channel, null, null);
        AuditRow.Position before = AuditRow.Position.END;
        for (int i = 0; i < MOST_PAGES; i++) {
            List<AuditRow> page = operator.events(ofChannel, before, PAGE);
            for (AuditRow row : page) {
                if (!visitor.test(row)) {
                    return;
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            before = page.get(PAGE - 1).position();
        }
    }

    private void read(AuditRow row) {
        EventType type = EventType.of(row.entry().type()).orElse(null);
        RecordId id = row.entry().subject().record();
        if (type == EventType.CHANNEL_RESUMED) {
            fresh = row.at();
        } else if (type != null && id != null) {
            switch (type) {
                case OPERATION_EXECUTED -> fresh = isReplayed(id) ? null : Long.valueOf(row.at());
                case RETRY_ATTEMPT, RETRY_EXHAUSTED, SYSTEM_ERROR -> failures.put(id, row.at());
                // Those read so far came after it.
                case OPERATOR_REPLAYED -> failures.remove(id);
                default -> {}
            }
        }
    }

    private boolean isReplayed(RecordId id) {
        AuditFilter replays = new AuditFilter(null, channel, id, EventType.OPERATOR_REPLAYED.code());
        return ++questions <= MOST_QUESTIONS
                && !operator.events(replays, AuditRow.Position.END, 1).isEmpty();
    }
}
