package dev.semel.operator;

import dev.semel.Mode;
import dev.semel.store.ActivityCounts;
import dev.semel.store.Switchboard.Pause;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a window of time, on all nodes; how things stand; and what needs a person.
 *
 * @param now when it was read
 * @param attention what needs a person, the most urgent first
 * @param history of all operations together
 * @param operations those of which there is anything to say, the busiest first
 * @param historySince when the oldest figures that are kept begin; absent when there are none
 */
public record Overview(
        Instant now,
        OverviewScope scope,
        List<Attention> attention,
        ActivitySeries history,
        List<OperationActivity> operations,
        Optional<Instant> historySince) {

    public Overview {
        attention = List.copyOf(attention);
        operations = List.copyOf(operations);
    }

    /**
     * What it covers.
     *
     * @param from when the first point of each series begins
     * @param tenant whose figures these are; all tenants when absent
     */
    public record OverviewScope(
            OverviewWindow window, Instant from, @Nullable String tenant) {}

    /** The same of one operation alone. */
    public Overview only(String operation) {
        List<OperationActivity> named = operations.stream()
                .filter(each -> each.name().equals(operation))
                .toList();
        return new Overview(
                now,
                scope,
                attention.stream()
                        .filter(each ->
                                each.operation() == null || each.operation().equals(operation))
                        .toList(),
                named.isEmpty()
                        ? ActivitySeries.none(scope.window())
                        : named.get(0).history(),
                named,
                historySince);
    }

    /** The counts of all operations together, over the whole window. */
    public ActivityCounts totals() {
        return history.totals();
    }

    /** The most messages of all these channels together that were seen waiting, point by point; of all tenants. */
    public long[] waiting() {
        long[] sums = new long[scope.window().points()];
        for (OperationActivity each : operations) {
            long[] own = each.history().waiting();
            Arrays.setAll(sums, i -> sums[i] + own[i]);
        }
        return sums;
    }

    /**
     * One operation or channel.
     *
     * @param name empty for those that there was no room to count for themselves
     * @param channel whether messages of it were sent or wait
     * @param mode that applies to it
     * @param pause that holds it up; absent when none does
     */
    public record OperationActivity(
            String name,
            boolean channel,
            ActivitySeries history,
            WaitingMessages waiting,
            Mode mode,
            @Nullable Pause pause) {}

    /**
     * The messages of a channel that wait.
     *
     * @param depth how many
     * @param complete false when there are more than were looked at: then it is at least so many
     * @param oldestDueMillis how long the one that is due longest has been; -1 when none is due
     * @param parkedLanes how many lanes are held up by a dead letter or an UNKNOWN message
     */
    public record WaitingMessages(long depth, boolean complete, long oldestDueMillis, long parkedLanes) {
        static final WaitingMessages NONE = new WaitingMessages(0, true, -1, 0);
    }

    /**
     * Something that needs a person.
     *
     * @param sentence what it is, for people
     * @param operation which operation it is about; all when absent
     * @param count how many; 1 where there is nothing to count
     * @param atLeast whether there may be more, because not all were counted
     * @param filter which records to list to see them: state, operation, tenant; empty when there are none
     */
    public record Attention(
            AttentionKind kind,
            String sentence,
            @Nullable String operation,
            long count,
            boolean atLeast,
            Map<String, String> filter) {
        public Attention {
            filter = Map.copyOf(filter);
        }

        /** What it is about, the most urgent first. */
        public enum AttentionKind {
            UNKNOWN(true),
            PARKED_LANE(true),
            DEAD_LETTERS(true),
            HALTED(true),
            OLD_LEASE(true),
            PAUSED(false),
            BREAKER_OPEN(false),
            SHADOW(false);

            private final boolean urgent;

            AttentionKind(boolean urgent) {
                this.urgent = urgent;
            }

            /** Whether work is lost or stuck until somebody acts. */
            public boolean isUrgent() {
                return urgent;
            }
        }
    }
}
