package dev.semel.testkit;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A reservation in the making; every part that a test does not speak of has a plain value. */
final class ReservationBuilder {
    static final String TENANT = "acme";
    static final String OPERATION = "charge";
    static final long LEASE = 30_000;
    static final int ATTEMPTS = 3;

    private static final AtomicLong OWNERS = new AtomicLong();

    private final Key key;
    private String tenant = TENANT;
    private byte @Nullable [] payload = "payload".getBytes(StandardCharsets.UTF_8);
    private long owner = OWNERS.incrementAndGet();
    private long lease = LEASE;
    private boolean repeatable = true;
    private int attempts = ATTEMPTS;
    private int fingerprint = 1;
    private Reservation.@Nullable Parent parent;
    private int takenOver = -1;
    private long onlyUnder;

    private ReservationBuilder(Key key) {
        this.key = key;
    }

    static ReservationBuilder of(String key) {
        return new ReservationBuilder(Key.of(key));
    }

    static ReservationBuilder of(Key key) {
        return new ReservationBuilder(key);
    }

    static RecordId id(String key) {
        return of(key).identity().id();
    }

    ReservationBuilder of(Tenant other) {
        tenant = other.name();
        return this;
    }

    ReservationBuilder by(long token) {
        owner = token;
        return this;
    }

    ReservationBuilder leasedFor(long millis) {
        lease = millis;
        return this;
    }

    ReservationBuilder notRepeatable() {
        repeatable = false;
        return this;
    }

    ReservationBuilder atMost(int grants) {
        attempts = grants;
        return this;
    }

    ReservationBuilder with(byte @Nullable [] bytes) {
        payload = bytes;
        return this;
    }

    ReservationBuilder fingerprinted(int n) {
        fingerprint = n;
        return this;
    }

    ReservationBuilder under(RecordId id, long fence) {
        parent = new Reservation.Parent(id, fence);
        return this;
    }

    /** Only the record under this fence. */
    ReservationBuilder onlyUnder(long fence) {
        onlyUnder = fence;
        return this;
    }

    /** With an event of this type in case it takes the record over. */
    ReservationBuilder announcing(int type) {
        takenOver = type;
        return this;
    }

    Identity identity() {
        return Identity.of(Tenant.of(tenant), OPERATION, key);
    }

    Header header() {
        return new Header(
                tenant,
                OPERATION,
                key.text(),
                fingerprint(fingerprint),
                new Header.Trail("correlation-" + fingerprint, "{\"actor\":\"actor-" + fingerprint + "\"}"),
                parent == null ? null : parent.id());
    }

    Reservation reservation() {
        var grant = new Reservation.Grant(owner, lease, repeatable, attempts, onlyUnder);
        AuditEntry event = takenOver < 0 ? null : event(takenOver);
        return new Reservation(identity(), header(), payload, grant, parent, event);
    }

    /** An event about this record. */
    AuditEntry event(int type) {
        Header header = header();
        var subject = new AuditEntry.Subject(
                header.tenant(),
                header.operation(),
                identity().id(),
                header.fingerprint().bytes(),
                header.correlationId());
        return new AuditEntry(type, subject, "RETRY_HTTP_CLIENT", 0, 0, "{\"n\":1}");
    }

    static Fingerprint fingerprint(int n) {
        byte[] bytes = new byte[35];
        bytes[0] = Fingerprint.VERSION;
        bytes[34] = (byte) n;
        return Fingerprint.of(bytes);
    }
}
