package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * A record as read. The arrays belong to the reader.
 *
 * @param payload kept where a run without a caller may need it
 * @param result the snapshot; absent for a result of null
 * @param failure the newest failure as JSON
 * @param line where it stands among those that wait for a worker; absent if it never did
 */
public record Row(
        RecordId id,
        Header header,
        Status status,
        byte @Nullable [] payload,
        byte @Nullable [] result,
        byte @Nullable [] failure,
        @Nullable Line line) {

    /** A record that never waited for a worker. */
    public Row(
            RecordId id,
            Header header,
            Status status,
            byte @Nullable [] payload,
            byte @Nullable [] result,
            byte @Nullable [] failure) {
        this(id, header, status, payload, result, failure, null);
    }

    public State state() {
        return status.state();
    }

    /** Whether it is a step of another record, and goes with it. A message has a parent too: the record that sent it. */
    public boolean isStep() {
        return header.parent() != null && line == null;
    }

    /** Whether it counts as absent. What holds its lane up never does, however long it has been dead. */
    public boolean expired(long now) {
        return status.expired(now) && !holdsLane();
    }

    /** Whether it stands in a lane, and the lane cannot go on without it. */
    public boolean holdsLane() {
        return line != null && (line.turn() == Line.Turn.HEAD || line.turn() == Line.Turn.WAITING);
    }
}
