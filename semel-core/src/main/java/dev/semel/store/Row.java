package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * A record as read. The arrays belong to the reader.
 *
 * @param line where it stands among those that wait for a worker; absent if it never did
 */
public record Row(
        RecordId id,
        Header header,
        Status status,
        Contents contents,
        @Nullable Line line) {

    /**
     * What a record holds.
     *
     * @param payload kept where a run without a caller may need it
     * @param result the snapshot; absent for a result of null
     * @param failure the newest failure as JSON
     * @param withheld bytes of a payload that is there but was not read, see {@link Claim.Amount#inline}; 0 when nothing was left out
     */
    public record Contents(
            byte @Nullable [] payload, byte @Nullable [] result, byte @Nullable [] failure, int withheld) {
        /** With all that there is. */
        public Contents(byte @Nullable [] payload, byte @Nullable [] result, byte @Nullable [] failure) {
            this(payload, result, failure, 0);
        }
    }

    /** A record that never waited for a worker. */
    public Row(
            RecordId id,
            Header header,
            Status status,
            byte @Nullable [] payload,
            byte @Nullable [] result,
            byte @Nullable [] failure) {
        this(id, header, status, new Contents(payload, result, failure), null);
    }

    /** The same record, standing somewhere. */
    public Row in(@Nullable Line where) {
        return new Row(id, header, status, contents, where);
    }

    /** The same record, with its payload left out if that has more bytes than this. */
    public Row withoutLargePayload(int inline) {
        byte[] payload = contents.payload;
        return payload == null || payload.length <= inline
                ? this
                : new Row(
                        id,
                        header,
                        status,
                        new Contents(null, contents.result, contents.failure, payload.length),
                        line);
    }

    /** The same record without payload and result; the size of the payload stays. */
    public Row summary() {
        int size = contents.payload == null ? contents.withheld : contents.payload.length;
        return new Row(id, header, status, new Contents(null, null, contents.failure, size), line);
    }

    /** The same record, with the payload that was left out. */
    public Row withPayload(byte[] payload) {
        return new Row(id, header, status, new Contents(payload, contents.result, contents.failure), line);
    }

    /** As {@link Contents#withheld}. */
    public int withheld() {
        return contents.withheld;
    }

    /** As {@link Status#state}. */
    public State state() {
        return status.state();
    }

    /** The encoded payload, not a copy; absent when there is none or it is not kept. */
    public byte @Nullable [] payload() {
        return contents.payload;
    }

    /** The encoded result, not a copy; absent when there is none. */
    public byte @Nullable [] result() {
        return contents.result;
    }

    /** The encoded newest failure, not a copy; absent when there was none. */
    public byte @Nullable [] failure() {
        return contents.failure;
    }

    /** Whether it is a step of another record, and goes with it. A message has a parent too: the record that sent it. */
    public boolean isStep() {
        return header.parent() != null && line == null;
    }

    /** Whether it counts as absent. A record that holds up its lane never does, however long it has been dead. */
    public boolean expired(long now) {
        return status.expired(now) && !holdsLane();
    }

    /** Whether it is in a lane that cannot continue without it. */
    public boolean holdsLane() {
        return line != null && (line.turn() == Line.Turn.HEAD || line.turn() == Line.Turn.WAITING);
    }

    /** Whether a worker has it or will have it: nobody else is granted it then. */
    public boolean inLine() {
        return line != null && line.turn() != Line.Turn.OUT;
    }
}
