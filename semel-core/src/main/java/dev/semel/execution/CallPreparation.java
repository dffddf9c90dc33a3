package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.audit.StoredOrigin;
import dev.semel.key.PayloadVersions;
import dev.semel.key.ValueCodec;
import dev.semel.policy.Catalogue;
import dev.semel.store.Header;
import dev.semel.store.Row;
import dev.semel.time.TimeSource;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The first step of every run: finds the policy, encodes or decodes the payload, and gives the call its identity. */
public final class CallPreparation {
    private final Catalogue catalogue;
    private final ValueCodec codec;
    private final RandomGenerator random;
    private final TimeSource time;
    private final ReceiverBreakers breakers;

    CallPreparation(
            Catalogue catalogue, ValueCodec codec, RandomGenerator random, TimeSource time, ReceiverBreakers breakers) {
        this.catalogue = catalogue;
        this.codec = codec;
        this.random = random;
        this.time = time;
        this.breakers = breakers;
    }

    /** @throws dev.semel.SemelException.Invalid when the payload has faults, cannot be encoded or is too large */
    <P, R> PreparedCall<P, R> prepare(Operation<P, R> operation, Call<P> call) {
        Policy policy = policy(operation.definition());
        PayloadCheck.demandValid(operation.definition(), call.payload());
        byte[] payload = codec.encode(call.payload(), operation.definition().payload());
        PreparedCall.EncodedPayload<P> encoded =
                new PreparedCall.EncodedPayload<>(versions(operation.definition()), payload);
        return new PreparedCall<>(operation, policy, call, encoded, trail(call.origin()), time.nanos())
                .withBreaker(breakers.of(operation.definition()));
    }

    /**
     * A call that nobody makes any more: the record itself asks. Its payload and fingerprint are the stored ones; the handler gets the
     * payload in its present version.
     *
     * @throws dev.semel.SemelException.Invalid when the payload cannot be migrated, or read as the operation's type
     */
    <P, R> PreparedCall<P, R> prepare(Operation<P, R> operation, Row row) {
        return stored(operation, row, payload(operation.definition(), row));
    }

    /** As {@link #prepare(Operation, Row)}, for a record whose payload cannot be read: it will not be run. */
    <P, R> PreparedCall<P, R> unread(Operation<P, R> operation, Row row) {
        return stored(operation, row, null);
    }

    private <P, R> PreparedCall<P, R> stored(Operation<P, R> operation, Row row, @Nullable P payload) {
        Header header = row.header();
        Call<P> call = Call.of(Tenant.of(header.tenant()), Key.of(header.key()), payload)
                .withOrigin(StoredOrigin.of(header));
        Operation.Definition<P, R> definition = operation.definition();
        return new PreparedCall<>(operation, policy(definition), call, versions(definition), row, time.nanos())
                .withBreaker(breakers.of(definition));
    }

    /** How a request is followed from its record; a correlation id is made where none is given. */
    Header.Trail trail(Call.Origin origin) {
        String given = origin.correlationId();
        return new Header.Trail(
                given != null ? given : HexFormat.of().toHexDigits(random.nextLong()), StoredOrigin.encode(origin));
    }

    /** @throws dev.semel.SemelException.Misconfigured when there is no policy of that name */
    public Policy policy(Operation.Definition<?, ?> definition) {
        return policy(definition.policy());
    }

    Policy policy(Policy.Choice choice) {
        return catalogue.get(choice);
    }

    /**
     * The stored payload in its present version.
     *
     * @throws dev.semel.SemelException.Invalid when it cannot be migrated, or read as the operation's type
     */
    public <P> @Nullable P payload(Operation.Definition<P, ?> definition, Row row) {
        return versions(definition).read(row.header().fingerprint(), row.payload());
    }

    /** Reads and compares payloads of older schema versions. */
    <P> PayloadVersions<P> versions(Operation.Definition<P, ?> definition) {
        return new PayloadVersions<>(codec, definition);
    }

    /** @throws dev.semel.SemelException.Invalid when the value cannot be encoded or is too large */
    <P> byte @Nullable [] encode(@Nullable P payload, Operation.TypeRef<P> type) {
        return codec.encode(payload, type);
    }
}
