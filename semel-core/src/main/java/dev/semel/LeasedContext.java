package dev.semel;

import org.jspecify.annotations.Nullable;

/** The run, as a leased handler sees it. Valid until the handler returns. */
public interface LeasedContext {
    /** Whose work it is. */
    Tenant tenant();

    /** Of the call, or of the message that is delivered: for logs. */
    String correlationId();

    /** Which attempt of this record it is, from 1. */
    int attempt();

    /**
     * Whether an operator replayed the message that is delivered: this attempt and those after it were asked for by a person. Always
     * false in a call, which has a caller.
     */
    boolean replayed();

    /** Grows with every grant. Pass it on to receivers that can reject a lower one. */
    long fence();

    /** The idempotency key for a downstream service. It is the same for all attempts of the record. */
    String downstreamKey();

    /**
     * Notes a fact about this attempt for people, such as what a service answered: the audit tells it with the end of the attempt, be
     * it a success, a retry or a death ({@code semel ops show}). An attempt that nobody ended, because its process died, has none. A
     * note of the same name replaces the one before; an attempt has at most 10. Call it on the handler's thread.
     *
     * <p>A context of a test may ignore it.
     *
     * @param name 1 to 40 lower-case letters, digits and underscores, a letter first
     * @param value a text, of which the first 1,024 characters are kept, without credentials and with control characters escaped
     * @throws SemelException.Invalid when the name cannot be used, or there are too many
     */
    default void note(String name, String value) {}

    /** As {@link #note(String, String)}, for a number. */
    default void note(String name, long value) {}

    /**
     * Runs a named part once: a later run of the same record replays the stored result instead. A name may be used
     * once a run. It may be repeated after an interruption if the operation may. If its result cannot be stored (too
     * large, not writable as JSON, refused by the store), the part has acted nevertheless: the record becomes
     * UNKNOWN, even if the handler catches the exception.
     *
     * <p>A handler that has steps acts on the outside world only in them. Effects outside of steps are repeated by
     * the next run, also of an operation that may not be repeated: after a failure that is retried, and after
     * somebody switched the operation off ({@link Mode#HALTED}) before one of its steps, which hands the record back.
     *
     * @throws SemelException.LeaseLost when the record was taken over meanwhile; nothing was started
     */
    default <T> @Nullable T step(String name, Class<T> result, Step<T> part) throws Exception {
        return step(name, Operation.TypeRef.of(result), part);
    }

    /**
     * As {@link #step(String, Class, Step)}, for a result whose type has arguments:
     *
     * <pre>{@code
     * List<Parcel> parcels = run.step("split", new TypeRef<List<Parcel>>() {}, key -> carrier.split(order, key));
     * }</pre>
     */
    <T> @Nullable T step(String name, Operation.TypeRef<T> result, Step<T> part) throws Exception;

    /**
     * As {@link #step(String, Class, Step)}, saying of this part whether it is repeatable, whatever holds for the operation. An
     * interrupted part that is not repeatable makes the record UNKNOWN.
     */
    default <T> @Nullable T step(String name, Class<T> result, boolean repeatable, Step<T> part) throws Exception {
        return step(name, Operation.TypeRef.of(result), repeatable, part);
    }

    /** As {@link #step(String, Class, boolean, Step)}, for a result whose type has arguments. */
    <T> @Nullable T step(String name, Operation.TypeRef<T> result, boolean repeatable, Step<T> part) throws Exception;

    /**
     * Asks the ledger whether this run still holds its record.
     *
     * @throws SemelException.LeaseLost when it does not; stop acting
     */
    void ensureHeld();

    /**
     * Sends a message, in a commit of its own: a second run of this record finds it sent already, by its key.
     *
     * @throws SemelException.NotSent when it conflicts or is invalid
     */
    <P> Sent.Accepted send(Channel<P> channel, Message<P> message);

    /** As {@link #send(Channel, Message)}, for the same tenant and under the same correlation id. */
    default <P> Sent.Accepted send(Channel<P> channel, Key key, P payload) {
        return send(channel, Message.of(tenant(), key, payload).withCorrelationId(correlationId()));
    }

    /** A named part of a leased operation. It is given a key that is stable for this part of this record. */
    @FunctionalInterface
    interface Step<T> {
        /**
         * @return the result, which is stored and replayed; null for none
         * @throws Exception that fails the step: its policy decides whether it is tried again
         */
        @Nullable
        T run(String downstreamKey) throws Exception;
    }
}
