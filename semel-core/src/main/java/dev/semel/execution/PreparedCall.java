package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.audit.Events;
import dev.semel.audit.StoredOrigin;
import dev.semel.key.Fingerprint;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Header;
import dev.semel.store.Row;
import dev.semel.watch.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A call made ready: checked, encoded, identified. */
final class PreparedCall<P, R> {
    private final Operation<P, R> operation;
    private final Policy policy;
    private final Call<P> call;
    private final byte @Nullable [] payload;
    private final Identity identity;
    private final Header header;
    private final long startedNanos;
    private Span span = Span.NONE;

    /** @throws dev.semel.SemelException.Invalid when the payload cannot be encoded or is too large */
    PreparedCall(EngineServices services, Operation<P, R> operation, Call<P> call) {
        Operation.Definition<P, R> definition = operation.definition();
        this.operation = operation;
        this.policy = services.tools().catalogue().get(definition.policy());
        this.call = call;
        this.payload = services.tools().codec().encode(call.payload(), definition.payload());
        this.identity = Identity.of(call.tenant(), definition.name(), call.key());
        this.header = new Header(
                call.tenant().name(),
                definition.name(),
                call.key().text(),
                Fingerprints.of(definition, payload),
                trail(services, call.origin()),
                null);
        this.startedNanos = services.time().nanos();
    }

    /** How a request is followed from its record; a correlation id is made where none is given. */
    static Header.Trail trail(EngineServices services, Call.Origin origin) {
        String given = origin.correlationId();
        return new Header.Trail(
                given != null
                        ? given
                        : HexFormat.of().toHexDigits(services.tools().random().nextLong()),
                StoredOrigin.encode(origin));
    }

    private PreparedCall(PreparedCall<P, R> other, Row row) {
        this.operation = other.operation;
        this.policy = other.policy;
        this.call = other.call;
        this.payload = other.payload;
        this.identity = Identity.of(row.id());
        this.header = new Header(
                other.header.tenant(),
                other.header.operation(),
                other.header.key(),
                row.header().fingerprint(),
                other.header.trail(),
                other.header.parent());
        this.startedNanos = other.startedNanos;
        this.span = other.span;
    }

    /** A call that nobody makes any more: the record itself asks. Its payload and fingerprint are the stored ones. */
    static <P, R> PreparedCall<P, R> of(EngineServices services, Operation<P, R> operation, Row row) {
        P payload = services.tools()
                .codec()
                .decode(row.payload(), operation.definition().payload());
        Call<P> call = Call.of(
                        Tenant.of(row.header().tenant()), Key.of(row.header().key()), payload)
                .withOrigin(StoredOrigin.of(row.header()));
        return new PreparedCall<>(services, operation, call, row);
    }

    /** As {@link #of}, for a record whose payload cannot be read: it will not be run. */
    static <P, R> PreparedCall<P, R> unread(EngineServices services, Operation<P, R> operation, Row row) {
        Call<P> call =
                Call.of(Tenant.of(row.header().tenant()), Key.of(row.header().key()), (P) null);
        return new PreparedCall<>(services, operation, call.withOrigin(StoredOrigin.of(row.header())), row);
    }

    private PreparedCall(EngineServices services, Operation<P, R> operation, Call<P> call, Row row) {
        this.operation = operation;
        this.policy = services.tools().catalogue().get(operation.definition().policy());
        this.call = call;
        this.payload = row.payload();
        this.identity = Identity.of(row.id());
        this.header = row.header();
        this.startedNanos = services.time().nanos();
    }

    /** The same call as the record has it: under a neighbouring key, or with the fingerprint of another schema version. */
    PreparedCall<P, R> as(Row row) {
        return new PreparedCall<>(this, row);
    }

    /** Whether the record is this call's own, and a grant of it can be had by asking as it is. */
    boolean asksFor(Row row) {
        return row.id().equals(id()) && row.header().fingerprint().equals(header.fingerprint());
    }

    /** From now on this span reports the call to the watch. */
    PreparedCall<P, R> under(Span value) {
        span = value;
        span.about(id(), correlationId());
        return this;
    }

    Span span() {
        return span;
    }

    Operation<P, R> operation() {
        return operation;
    }

    Policy policy() {
        return policy;
    }

    Call<P> call() {
        return call;
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

    String correlationId() {
        return header.correlationId();
    }

    boolean sameMeaning(Fingerprint stored) {
        return stored.equals(header.fingerprint())
                || (stored.schema() != header.fingerprint().schema()
                                || stored.version() != header.fingerprint().version())
                        && Fingerprints.matches(stored, operation.definition(), payload);
    }

    /** The modes that apply to it. Not inside a transaction. */
    CurrentModes.Reading modes(EngineServices services) {
        if (call.deadline() != null) {
            // Brings the store's clock, by which the deadline is judged.
            services.modes().fresh();
        }
        return services.modes().of(header.tenant(), header.operation());
    }

    Events.About about() {
        return Events.About.record(id(), header, call.origin(), policy.code());
    }

    /** Time to the deadline, of the call or of the policy, by the store's clock; absent when there is none. */
    @Nullable
    Duration remaining(EngineServices services) {
        Instant byCall = call.deadline();
        Duration remaining = byCall == null
                ? null
                : Duration.ofMillis(byCall.toEpochMilli() - services.modes().storeMillis());
        Duration byPolicy = policy.limits().deadline();
        if (byPolicy != null) {
            Duration left = byPolicy.minusNanos(services.time().nanos() - startedNanos);
            remaining = remaining == null || left.compareTo(remaining) < 0 ? left : remaining;
        }
        return remaining;
    }

    /** Whether no attempt may start any more. */
    boolean late(EngineServices services) {
        Duration left = remaining(services);
        return left != null && (left.isNegative() || left.isZero());
    }

    /** Reports to the watch that an attempt failed and another follows. */
    void retries(EngineServices services, Failure failure) {
        services.watch().retries(header.operation(), header.tenant(), policy, failure.category());
    }

    /** Reports to the watch that it became a dead letter. */
    void died(EngineServices services, Failure failure) {
        services.watch().died(header.operation(), header.tenant(), failure.category());
    }

    /** Reports to the watch that it became UNKNOWN. */
    void unknown(EngineServices services) {
        services.watch().unknown(header.operation(), header.tenant());
    }

    /** For messages: operation, record and tenant, never the key. */
    String name() {
        return header.operation() + "/" + id() + " (tenant " + header.tenant() + ")";
    }
}
