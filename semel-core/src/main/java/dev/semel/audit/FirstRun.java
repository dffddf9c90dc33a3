package dev.semel.audit;

import dev.semel.key.RecordId;
import dev.semel.store.Header;
import dev.semel.store.Row;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a replay repeats, for its event. The number of an event is drawn when it is written, so a replay could learn it only by a
 * further read. An event of an outcome has a name that a replay knows without one ({@link #ref}): its record and its fence, under
 * which a record is completed once.
 *
 * @param fence of the run that completed the record; 0 for a message that was accepted; {@link #NOT_KNOWN} for a result that never
 *     left this process
 */
public record FirstRun(long fence, @Nullable String requestId) {
    /**
     * An atomic run does not learn the fence under which it committed: a duplicate that waited for it in memory names
     * the record only.
     */
    public static final long NOT_KNOWN = -1;

    /** The run that left the record as it was read. */
    public static FirstRun of(Row row) {
        return of(row.header(), row.status().fence());
    }

    /** The acceptance of the message. */
    public static FirstRun accepted(Row row) {
        return of(row.header(), 0);
    }

    public static FirstRun of(Header header, long fence) {
        return new FirstRun(
                fence, header.origin() == null ? null : StoredOrigin.of(header).requestId());
    }

    /** How events of this record refer to the event that tells of its outcome under this fence. */
    static String ref(RecordId record, long fence) {
        return fence == NOT_KNOWN ? record.prefix() : record.prefix() + "/" + fence;
    }

    Map<String, String> references(RecordId record) {
        Map<String, String> references = new LinkedHashMap<>();
        references.put("first_event", ref(record, fence));
        if (requestId != null) {
            references.put("first_request_id", Redactor.credentials(requestId));
        }
        return references;
    }
}
