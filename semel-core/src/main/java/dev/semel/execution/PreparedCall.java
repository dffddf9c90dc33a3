package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.audit.Events;
import dev.semel.key.Fingerprint;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.PayloadVersions;
import dev.semel.key.PayloadVersions.StoredPayload;
import dev.semel.key.RecordId;
import dev.semel.store.Header;
import dev.semel.store.Row;
import dev.semel.watch.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call made ready: checked, encoded, identified. */
final class PreparedCall<P, R> implements Attempted {
    private final Operation<P, R> operation;
    private final Policy policy;
    private final Call<P> call;
    private final PayloadVersions<P> versions;
    /** Of the call itself, in the present version. */
    private final byte @Nullable [] asked;
    /** Of the record: that of which its fingerprint is made. */
    private final byte @Nullable [] payload;

    private final Identity identity;
    private final Header header;
    private final long startedNanos;
    private final AttemptNotes notes;
    private Span span = Span.NONE;
    private ReceiverBreaker breaker = ReceiverBreaker.NONE;
    private @Nullable GrantTerms terms;

    /** As a caller asks for it; see {@link CallPreparation}. */
    PreparedCall(
            Operation<P, R> operation,
            Policy policy,
            Call<P> call,
            EncodedPayload<P> encoded,
            Header.Trail trail,
            long startedNanos) {
        Operation.Definition<P, R> definition = operation.definition();
        this.operation = operation;
        this.policy = policy;
        this.call = call;
        this.versions = encoded.versions();
        this.payload = encoded.bytes();
        this.asked = payload;
        this.identity = Identity.of(call.tenant(), definition.name(), call.key());
        this.header = new Header(
                call.tenant().name(),
                definition.name(),
                call.key().text(),
                Fingerprints.of(definition, payload),
                trail,
                null);
        this.startedNanos = startedNanos;
        this.notes = new AttemptNotes();
    }

    /** A payload of the present version, and what reads those of older ones. */
    record EncodedPayload<P>(PayloadVersions<P> versions, byte @Nullable [] bytes) {}

    /** As its record asks for it. */
    PreparedCall(
            Operation<P, R> operation,
            Policy policy,
            Call<P> call,
            PayloadVersions<P> versions,
            Row row,
            long startedNanos) {
        this.operation = operation;
        this.policy = policy;
        this.call = call;
        this.versions = versions;
        this.payload = row.payload();
        this.asked = payload;
        this.identity = Identity.of(row.id());
        this.header = row.header();
        this.startedNanos = startedNanos;
        this.notes = new AttemptNotes();
    }

    private PreparedCall(PreparedCall<P, R> other, Row row) {
        this.operation = other.operation;
        this.policy = other.policy;
        this.call = other.call;
        this.versions = other.versions;
        this.asked = other.asked;
        boolean sameSchema = row.header().fingerprint().schema()
                == other.operation.definition().schemaVersion();
        this.payload = sameSchema ? other.payload : row.payload();
        this.identity = Identity.of(row.id());
        this.header = new Header(
                other.header.tenant(),
                other.header.operation(),
                other.header.key(),
                row.header().fingerprint(),
                other.header.trail(),
                other.header.parent());
        this.startedNanos = other.startedNanos;
        this.notes = other.notes;
        this.span = other.span;
        this.breaker = other.breaker;
        this.terms = other.terms;
    }

    /** The same call as the record has it: under a neighbouring key, or with the fingerprint of another schema version. */
    PreparedCall<P, R> asStored(Row row) {
        return new PreparedCall<>(this, row);
    }

    /** Whether the record is this call's own, and a grant of it can be had by asking as it is. */
    boolean isExactly(Row row) {
        return row.id().equals(id()) && row.header().fingerprint().equals(header.fingerprint());
    }

    /** From now on this span reports the call to the watch. */
    PreparedCall<P, R> withSpan(Span value) {
        span = value;
        span.about(id(), correlationId());
        return this;
    }

    /** From now on this breaker is asked before the handler. */
    PreparedCall<P, R> withBreaker(ReceiverBreaker value) {
        breaker = value;
        return this;
    }

    /**
     * What a caller outside this process asks of its grant.
     *
     * @param owner the token of its reservations, of {@link dev.semel.store.OutsideGrant}, so that a caller who asks again is given its
     *     own grant
     * @param lease in place of the policy's
     */
    record GrantTerms(long owner, Duration lease) {}

    /** From now on it is granted on these terms. */
    PreparedCall<P, R> withTerms(GrantTerms value) {
        terms = value;
        return this;
    }

    /** The token of its reservations; 0 when each has one of its own. */
    long owner() {
        return terms == null ? 0 : terms.owner;
    }

    /** Whether its handler is outside this process. */
    boolean isOutside() {
        return terms != null;
    }

    /** How long a grant of it is trusted. */
    Duration lease() {
        return terms == null ? policy.limits().lease() : terms.lease;
    }

    ReceiverBreaker breaker() {
        return breaker;
    }

    /** Of its present attempt. */
    AttemptNotes notes() {
        return notes;
    }

    @Override
    public Map<String, Object> noted() {
        return notes.fields();
    }

    Span span() {
        return span;
    }

    Operation<P, R> operation() {
        return operation;
    }

    @Override
    public Policy policy() {
        return policy;
    }

    Call<P> call() {
        return call;
    }

    @Override
    public @Nullable Instant deadline() {
        return call.deadline();
    }

    /** Whether an interrupted run of it may be repeated. */
    boolean isRepeatable() {
        return operation instanceof Operation.Leased<P, R> leased && leased.isRepeatable(policy);
    }

    byte @Nullable [] payload() {
        return payload;
    }

    Identity identity() {
        return identity;
    }

    RecordId id() {
        return identity.id();
    }

    Header header() {
        return header;
    }

    @Override
    public String correlationId() {
        return header.correlationId();
    }

    boolean sameMeaning(Row row) {
        return sameMeaning(new StoredPayload(row.header().fingerprint(), row.payload()));
    }

    boolean sameMeaning(StoredPayload stored) {
        Fingerprint fingerprint = stored.fingerprint();
        return fingerprint.equals(header.fingerprint())
                || (fingerprint.schema() != header.fingerprint().schema()
                                || fingerprint.version() != header.fingerprint().version())
                        && versions.same(stored, asked);
    }

    /** Its payload as its record has it, for comparisons with other calls in this process. */
    StoredPayload stored() {
        return comparable(new StoredPayload(header.fingerprint(), payload));
    }

    /** As {@link #stored}, of a record. */
    StoredPayload stored(Row row) {
        return comparable(new StoredPayload(row.header().fingerprint(), row.payload()));
    }

    private StoredPayload comparable(StoredPayload stored) {
        return new StoredPayload(stored.fingerprint(), versions.keptToCompare(stored));
    }

    Events.About about() {
        return Events.About.record(id(), header, call.origin(), policy.code());
    }

    /** When it was prepared, by this node's monotonic clock: the deadline of its policy counts from then. */
    @Override
    public long startedNanos() {
        return startedNanos;
    }

    @Override
    public long tookNanos() {
        return span.attemptNanos();
    }

    /** For messages: operation, record and tenant, never the key. */
    @Override
    public String name() {
        return header.operation() + "/" + id() + " (tenant " + header.tenant() + ")";
    }
}
