package dev.semel.store;

/**
 * Closes a run of audit events: chained to the seal before it.
 *
 * @param number from 1 without gaps
 * @param after the events after this position...
 * @param upTo ...up to and including this one
 * @param digests id and short digest of each event, so that the one that was changed can be named
 * @param previous hash of the seal before, or zeros
 * @param hash over the previous hash and every event
 */
public record Seal(
        long number, AuditRow.Position after, AuditRow.Position upTo, byte[] digests, byte[] previous, byte[] hash) {
    /** Bytes of {@code digests} for one event: its id and eight bytes of its digest. */
    public static final int ENTRY = 2 * Long.BYTES;

    /** How many events it closes. */
    public int events() {
        return digests.length / ENTRY;
    }
}
