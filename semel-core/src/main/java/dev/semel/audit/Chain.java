package dev.semel.audit;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hashes: of one event over all its fields, and of a seal over the seal before it and its events. */
final class Chain {
    static final int HASH = 32;
    static final int SHORT = 8;
    private static final MessageDigest UNUSED = lookedUp();

    private Chain() {}

    static Seal seal(long number, byte[] previous, AuditRow.Position after, List<AuditRow> rows) {
        ByteBuffer digests = ByteBuffer.allocate(rows.size() * Seal.ENTRY);
        for (AuditRow row : rows) {
            digests.putLong(row.position().seq()).put(digest(row), 0, SHORT);
        }
        AuditRow.Position upTo = rows.get(rows.size() - 1).position();
        return new Seal(number, after, upTo, digests.array(), previous, hash(number, previous, after, rows));
    }

    static byte[] hash(long number, byte[] previous, AuditRow.Position after, List<AuditRow> rows) {
        MessageDigest sha = sha256();
        sha.update(previous);
        sha.update(ByteBuffer.allocate(3 * Long.BYTES)
                .putLong(number)
                .putLong(after.tx())
                .putLong(after.seq())
                .flip());
        for (AuditRow row : rows) {
            sha.update(digest(row));
        }
        return sha.digest();
    }

    static byte[] digest(AuditRow row) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            AuditEntry entry = row.entry();
            AuditEntry.Subject subject = entry.subject();
            out.writeLong(row.position().tx());
            out.writeLong(row.position().seq());
            out.writeLong(row.at());
            out.writeInt(entry.type());
            text(out, subject.tenant());
            text(out, subject.operation());
            bytes(out, subject.record() == null ? null : subject.record().bytes());
            bytes(out, subject.fingerprint());
            text(out, subject.correlationId());
            text(out, entry.policy());
            out.writeLong(entry.fence());
            out.writeInt(entry.attempt());
            text(out, entry.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sha256().digest(bytes.toByteArray());
    }

    private static void text(DataOutputStream out, @Nullable String text) throws IOException {
        bytes(out, text == null ? null : text.getBytes(StandardCharsets.UTF_8));
    }

    private static void bytes(DataOutputStream out, byte @Nullable [] bytes) throws IOException {
        out.writeInt(bytes == null ? -1 : bytes.length);
        if (bytes != null) {
            out.write(bytes);
        }
    }

    /** A copy of one that nobody uses: looking SHA-256 up among the providers takes longer than hashing an event. */
    private static MessageDigest sha256() {
        try {
            return (MessageDigest) UNUSED.clone();
        } catch (CloneNotSupportedException e) {
            return lookedUp();
        }
    }

    private static MessageDigest lookedUp() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime must have SHA-256; this one has not.", e);
        }
    }
}
