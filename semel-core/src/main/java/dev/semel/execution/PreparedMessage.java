package dev.semel.execution;

import dev.semel.Answer.Next;
import dev.semel.Answer.Notice;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.audit.Events;
import dev.semel.key.Identity;
import dev.semel.key.PayloadVersions;
import dev.semel.key.PayloadVersions.StoredPayload;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Row;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A message that was checked, encoded and identified: ready to be stored.
 *
 * @param rememberedMillis how long its record is kept after it was delivered
 */
record PreparedMessage(
        Arrival arrival, Identity identity, PayloadVersions<?> versions, Events.About about, long rememberedMillis) {
    RecordId id() {
        return identity.id();
    }

    String channel() {
        return arrival.header().operation();
    }

    /** The key has a time bucket: the neighbouring buckets count as the same message. */
    boolean hasNeighbours() {
        return !identity.neighbours().isEmpty();
    }

    /** @param enqueued what the store did, or null when another transaction holds the key */
    Sent judge(@Nullable Enqueued enqueued) {
        Header header = arrival.header();
        if (enqueued instanceof Enqueued.Made) {
            return new Sent.Accepted(true, header.correlationId());
        }
        if (enqueued instanceof Enqueued.EnqueueFailed failed) {
            return new Sent.Rejected(new Notice(
                    header.correlationId(), String.valueOf(failed.why().getMessage()), Set.of(Next.CONTACT)));
        }
        if (enqueued == null) {
            throw new SemelException.TransactionMustBeRetried(
                    header.operation() + "/" + id() + " (tenant " + header.tenant()
                            + "): another transaction is sending the same message. Roll back and run it again.",
                    new IllegalStateException("the key is locked"));
        }
        Row row = ((Enqueued.Existing) enqueued).row();
        return judge(row.header(), row.payload());
    }

    /** @param earlier the message that is there already under the same key */
    Sent judge(Arrival earlier) {
        return judge(earlier.header(), earlier.payload());
    }

    private Sent judge(Header earlier, byte @Nullable [] payload) {
        Header header = arrival.header();
        boolean same = earlier.fingerprint().equals(header.fingerprint())
                || versions.same(new StoredPayload(earlier.fingerprint(), payload), arrival.payload());
        return same
                ? new Sent.Accepted(false, earlier.correlationId())
                : new Sent.Conflict(new Notice(
                        header.correlationId(),
                        "Message " + header.operation() + "/" + id()
                                + ": its key was used before with another payload; nothing was stored.",
                        Set.of(Next.CHECK_STATUS, Next.CONTACT),
                        id().hex()));
    }
}
