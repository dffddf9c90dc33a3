package dev.semel.jdbc.shared;

import dev.semel.store.StateCensus;
import dev.semel.store.StateCensus.OperationCount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a census row by row: operation, records, messages, heads of lanes, earliest time, since when, and whether these are counted or
 * were only looked at.
 */
public final class CensusRows {
    private final List<OperationCount> operations = new ArrayList<>();
    private long lookedAt;

    /** Reads the row that the result set stands on, which may be empty; returns how many records were looked at so far. */
    public long add(ResultSet row) throws SQLException {
        long records = row.getLong(2);
        lookedAt += records;
        if (records > 0 && row.getBoolean(7)) {
            operations.add(new OperationCount(
                    row.getString(1), records, row.getLong(3), row.getLong(4), row.getLong(5), row.getLong(6)));
        }
        return lookedAt;
    }

    /** @param most how many were to be looked at; one more was read if it is there */
    public StateCensus census(int most, long now) {
        return new StateCensus(operations, lookedAt <= most, now);
    }
}
