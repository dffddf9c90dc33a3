package dev.semel.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many records are in a state, by operation.
 *
 * @param operations those of which there are any
 * @param complete false when there are more records than were looked at: then counts are at least so high, and operations may be missing
 * @param now the store's time
 */
public record StateCensus(List<OperationCount> operations, boolean complete, long now) {
    public StateCensus {
        operations = List.copyOf(operations);
    }

    /**
     * @param records how many
     * @param queued how many of them came by a channel or were queued by a replay
     * @param heads how many of them are at the head of a lane
     * @param earliestAt the earliest {@code at} among them
     * @param since the earliest {@code at - keepMillis} among them
     */
    public record OperationCount(String operation, long records, long queued, long heads, long earliestAt, long since) {
        /** Both together. */
        public OperationCount plus(OperationCount other) {
            return new OperationCount(
                    operation,
                    records + other.records,
                    queued + other.queued,
                    heads + other.heads,
                    Math.min(earliestAt, other.earliestAt),
                    Math.min(since, other.since));
        }

        private static OperationCount of(Row row) {
            Line line = row.line();
            Status status = row.status();
            return new OperationCount(
                    row.header().operation(),
                    1,
                    line == null ? 0 : 1,
                    line != null && line.turn() == Line.Turn.HEAD ? 1 : 0,
                    status.at(),
                    status.at() - status.keepMillis());
        }
    }

    /** For stores that count in memory. */
    public static StateCensus of(List<Row> rows, boolean complete, long now) {
        Map<String, OperationCount> counts = new LinkedHashMap<>();
        rows.forEach(row -> counts.merge(row.header().operation(), OperationCount.of(row), OperationCount::plus));
        return new StateCensus(new ArrayList<>(counts.values()), complete, now);
    }
}
