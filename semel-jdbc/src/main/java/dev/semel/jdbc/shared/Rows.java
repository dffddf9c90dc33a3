package dev.semel.jdbc.shared;

import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditRow;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.Seal;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads what the queries select, by position: a query lists one of these column lists, after its own columns if any. */
public final class Rows {
    /** The key is stored as bytes, because text cannot hold every key (NUL). */
    public static final String STATUS = "state, fence, attempt, at, keep, owner";

    public static final String RECORD = "id, tenant, operation, key, fingerprint, correlation, parent, " + STATUS
            + ", payload, result, failure, origin";
    static final int RECORD_COUNT = 17;

    /** For an engine that keeps work for later. */
    public static final String WITH_LINE = RECORD + ", turn, place, lane, lane_key, deadline";

    private static final int LINE_COUNT = 5;

    /** Where the columns of {@link #STATUS} begin in {@link #summary}. */
    public static final int SUMMARY_STATUS = 8;

    /** How many columns {@link #summary} has. */
    public static final int SUMMARY_COUNT = RECORD_COUNT + LINE_COUNT + 1;

    /** A step has a parent and never waited for a worker; a message may have a parent, too. */
    public static final String NO_STEP = "(parent IS NULL OR place IS NOT NULL)";

    public static final String AUDIT =
            "tx, seq, at, type, tenant, operation, record, fingerprint, correlation, policy, fence," + " attempt, body";

    public static final String SEAL = "number, after_tx, after_seq, upto_tx, upto_seq, digests, previous, hash";

    private Rows() {}

    /** @param first the position of {@code id} */
    public static Row record(ResultSet found, int first) throws SQLException {
        return new Row(
                id(found, first),
                new Header(
                        found.getString(first + 1),
                        found.getString(first + 2),
                        key(found.getBytes(first + 3)),
                        Fingerprint.of(found.getBytes(first + 4)),
                        new Header.Trail(found.getString(first + 5), found.getString(first + 16)),
                        idOrNull(found, first + 6)),
                status(found, first + 7),
                found.getBytes(first + 13),
                found.getBytes(first + 14),
                found.getBytes(first + 15));
    }

    /** @param first the position of {@code id} in {@link #WITH_LINE} */
    public static Row withLine(ResultSet found, int first) throws SQLException {
        return record(found, first).in(line(found, first + RECORD_COUNT));
    }

    /**
     * The columns of {@link #WITH_LINE} without large payloads, then the size of the payload.
     *
     * @param prefix of each column, such as {@code r.}
     * @param length the function that counts the bytes of a column
     * @param inline how large a payload may be: a parameter, or a number
     */
    public static String withoutLargePayload(String prefix, String length, String inline) {
        String size = length + "(" + prefix + "payload)";
        String columns = prefix + WITH_LINE.replace(", ", ", " + prefix);
        return columns.replace(
                        prefix + "payload,",
                        "CASE WHEN " + size + " <= " + inline + " THEN " + prefix + "payload END AS payload,")
                + ", " + size + " AS size";
    }

    /** As {@link #withoutLargePayload}, without any payload and result: for lists. To be read by {@link #claimed}. */
    public static String summary(String prefix, String length) {
        String columns = prefix + WITH_LINE.replace(", ", ", " + prefix);
        return columns.replace(prefix + "payload, " + prefix + "result,", "NULL AS payload, NULL AS result,") + ", "
                + length + "(" + prefix + "payload) AS size";
    }

    /** @param first the position of {@code id} in {@link #withoutLargePayload} */
    public static Row claimed(ResultSet found, int first) throws SQLException {
        Row row = withLine(found, first);
        if (row.payload() != null) {
            return row;
        }
        int size = found.getInt(first + RECORD_COUNT + LINE_COUNT);
        Row.Contents contents = new Row.Contents(null, row.result(), row.failure(), size);
        return new Row(row.id(), row.header(), row.status(), contents, row.line());
    }

    private static @Nullable Line line(ResultSet found, int first) throws SQLException {
        long place = found.getLong(first + 1);
        if (found.wasNull()) {
            return null;
        }
        int turn = found.getInt(first);
        Line.Turn known = found.wasNull() ? Line.Turn.OUT : Line.Turn.of(turn);
        long number = found.getLong(first + 2);
        Line.Lane lane = found.wasNull() ? null : new Line.Lane(number, found.getString(first + 3));
        long deadline = found.getLong(first + 4);
        return new Line(known, place, lane, found.wasNull() ? Status.NEVER : deadline);
    }

    /** @param first the position of {@code state} */
    public static Status status(ResultSet found, int first) throws SQLException {
        return new Status(
                State.of(found.getInt(first)),
                found.getLong(first + 1),
                found.getInt(first + 2),
                found.getLong(first + 3),
                found.getLong(first + 4),
                found.getLong(first + 5));
    }

    public static AuditRow audit(ResultSet found) throws SQLException {
        AuditEntry.Subject subject = new AuditEntry.Subject(
                found.getString(5), found.getString(6), idOrNull(found, 7), found.getBytes(8), found.getString(9));
        return new AuditRow(
                new AuditRow.Position(found.getLong(1), found.getLong(2)),
                found.getLong(3),
                new AuditEntry(
                        found.getInt(4),
                        subject,
                        found.getString(10),
                        found.getLong(11),
                        found.getInt(12),
                        found.getString(13)));
    }

    public static Seal seal(ResultSet found) throws SQLException {
        return new Seal(
                found.getLong(1),
                new AuditRow.Position(found.getLong(2), found.getLong(3)),
                new AuditRow.Position(found.getLong(4), found.getLong(5)),
                found.getBytes(6),
                found.getBytes(7),
                found.getBytes(8));
    }

    public static RecordId id(ResultSet found, int position) throws SQLException {
        return RecordId.of(found.getBytes(position));
    }

    public static byte[] key(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    private static String key(byte[] stored) {
        return new String(stored, StandardCharsets.UTF_8);
    }

    public static byte @Nullable [] bytes(@Nullable RecordId id) {
        return id == null ? null : id.bytes();
    }

    private static @Nullable RecordId idOrNull(ResultSet found, int position) throws SQLException {
        byte[] bytes = found.getBytes(position);
        return bytes == null ? null : RecordId.of(bytes);
    }
}
