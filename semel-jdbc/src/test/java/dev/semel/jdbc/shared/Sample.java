package dev.semel.jdbc.shared;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reservation;
import dev.semel.store.State;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** One record of the tests, and the requests for it. */
public record Sample(String key) {
    private static final String TENANT = "acme";
    private static final String OPERATION = "charge";

    public Identity identity() {
        return Identity.of(Tenant.of(TENANT), OPERATION, Key.of(key));
    }

    public RecordId id() {
        return identity().id();
    }

    public Header header() {
        byte[] fingerprint = new byte[35];
        fingerprint[0] = Fingerprint.VERSION;
        return new Header(TENANT, OPERATION, key, Fingerprint.of(fingerprint), "correlation", null);
    }

    public AuditEntry event() {
        return new AuditEntry(
                2,
                new AuditEntry.Subject(
                        TENANT, OPERATION, id(), header().fingerprint().bytes(), "correlation"),
                null,
                0,
                0,
                null);
    }

    public Reservation reservation() {
        var grant = new Reservation.Grant(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), 60_000, true, 3);
        return new Reservation(identity(), header(), null, grant, null, null);
    }

    public RecordWrite write() {
        return write(event());
    }

    public RecordWrite write(@Nullable AuditEntry event) {
        return new RecordWrite(
                id(),
                header(),
                State.COMPLETED,
                new RecordWrite.WriteTimes(86_400_000, 0, 1),
                new RecordWrite.WrittenOutcome("{\"receipt\":\"r-17\"}".getBytes(StandardCharsets.UTF_8), null),
                event);
    }
}
