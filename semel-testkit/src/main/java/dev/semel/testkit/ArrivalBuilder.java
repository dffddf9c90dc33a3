package dev.semel.testkit;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Status;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A message in the making; every part that a test does not speak of has a plain value. */
final class ArrivalBuilder {
    static final String CHANNEL = "mail";

    private final String key;
    private String tenant = ReservationBuilder.TENANT;
    private String operation = CHANNEL;
    private byte @Nullable [] payload = "payload".getBytes(StandardCharsets.UTF_8);
    private @Nullable String lane;
    private @Nullable RecordId sender;
    private int fingerprint = 1;
    private long delay;
    private long start;
    private long deadline = Status.NEVER;
    private int event = -1;

    private ArrivalBuilder(String key) {
        this.key = key;
    }

    static ArrivalBuilder of(String key) {
        return new ArrivalBuilder(key);
    }

    static RecordId id(String key) {
        return of(key).id();
    }

    ArrivalBuilder of(Tenant other) {
        tenant = other.name();
        return this;
    }

    /** Of another operation than {@link #CHANNEL}. */
    ArrivalBuilder to(String other) {
        operation = other;
        return this;
    }

    ArrivalBuilder in(String laneKey) {
        lane = laneKey;
        return this;
    }

    ArrivalBuilder with(byte @Nullable [] bytes) {
        payload = bytes;
        return this;
    }

    ArrivalBuilder fingerprinted(int n) {
        fingerprint = n;
        return this;
    }

    ArrivalBuilder sentBy(RecordId record) {
        sender = record;
        return this;
    }

    ArrivalBuilder after(long millis) {
        delay = millis;
        return this;
    }

    ArrivalBuilder notBefore(long moment) {
        start = moment;
        return this;
    }

    ArrivalBuilder notAfter(long moment) {
        deadline = moment;
        return this;
    }

    /** With an event of this type if it is made. */
    ArrivalBuilder telling(int type) {
        event = type;
        return this;
    }

    RecordId id() {
        return Identity.of(Tenant.of(tenant), operation, Key.of(key)).id();
    }

    Line.@Nullable Lane lane() {
        return lane == null ? null : new Line.Lane(Identity.lane(Tenant.of(tenant), operation, lane), lane);
    }

    Header header() {
        return new Header(
                tenant,
                operation,
                key,
                ReservationBuilder.fingerprint(fingerprint),
                new Header.Trail("correlation-" + fingerprint, "{\"actor\":\"actor-" + fingerprint + "\"}"),
                sender);
    }

    Arrival arrival() {
        return new Arrival(
                id(),
                header(),
                payload,
                lane(),
                new Arrival.ArrivalTimes(delay, start, deadline),
                event < 0 ? null : event(event));
    }

    /** An event about this record. */
    AuditEntry event(int type) {
        Header header = header();
        var subject = new AuditEntry.Subject(
                tenant, operation, id(), header.fingerprint().bytes(), header.correlationId());
        return new AuditEntry(type, subject, "RETRY_HTTP_CLIENT", 0, 0, "{\"n\":1}");
    }
}
