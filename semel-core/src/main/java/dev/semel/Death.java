package dev.semel;

import java.util.Optional;

/**
 * A message or call that failed for good: what its {@link Handler onDead handler} is given, in the commit of the dead letter.
 *
 * @param <P> what the message or call carried
 * @param id of this death: the same in every try of its handler, and another one when the record is replayed and dies again
 * @param record the record that died
 * @param payload empty when there was none, or when this node cannot read it as the declared type
 * @param failure why it died
 * @param attempts that were made; 0 when its handler never ran
 */
public record Death<P>(String id, DeadRecord record, Optional<P> payload, Failure failure, int attempts) {

    /**
     * The record that died.
     *
     * @param tenant whose work it was
     * @param operation the operation's name, or the channel's
     * @param key under which it was called or sent
     * @param correlationId for logs
     * @param id of its record, by which operators find it
     */
    public record DeadRecord(Tenant tenant, String operation, Key key, String correlationId, String id) {}

    /** Whose work it was. */
    public Tenant tenant() {
        return record.tenant;
    }

    /** Of the message or call, for logs. */
    public String correlationId() {
        return record.correlationId;
    }

    /**
     * A key for something that is done because of this death: the same in every try, and another one for another death, also of
     * the same record.
     *
     * @param what is done, such as "review"; at most 150 characters
     * @throws SemelException.Invalid when the key would be too long
     */
    public Key key(String what) {
        return Key.of("dead:" + id + ":" + what);
    }

    /**
     * Runs in the commit of a dead letter: what it writes through its transaction and the messages that it sends are there exactly
     * if the dead letter is. It may be tried more than once; what it wrote is kept once per death. Like an atomic handler it must
     * touch nothing but its transaction, and it is interrupted after the attempt time-out of the policy.
     */
    @FunctionalInterface
    public interface Handler<P> {
        /**
         * @param death of the message or call
         * @param tx the transaction of its dead letter
         * @throws Exception when the dead letter must not be recorded yet: all is rolled back, and tried again later
         */
        void died(Death<P> death, AtomicContext tx) throws Exception;
    }
}
