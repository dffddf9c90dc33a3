package dev.semel.store;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A place where records are kept. Ports that it does not support are absent, and its class of guarantee says what
 * that means.
 */
public interface Store extends AutoCloseable {
    /** For messages: the kind and the place, without secrets. */
    String name();

    /** The records. Always the same port, for any thread. */
    Ledger ledger();

    /** The events about the records. Always the same port, for any thread. */
    AuditLog audit();

    /** The modes and pauses that apply to all nodes. Always the same port, for any thread. */
    Switchboard switchboard();

    /** Absent when the store cannot commit the application's writes together with its own. */
    Optional<Transactions> transactions();

    /** Absent when the store cannot keep work for later. */
    default Optional<Queue> queue() {
        return Optional.empty();
    }

    /** Absent when nodes cannot tell each other that there is work: they poll then. */
    default Optional<Signals> signals() {
        return Optional.empty();
    }

    /** Absent when the store cannot count for all nodes together: then a limit that holds for all of them is refused. */
    default Optional<Permits> permits() {
        return Optional.empty();
    }

    /** Absent when the store keeps no history of activity: then an overview shows the present alone. */
    default Optional<ActivityLog> activity() {
        return Optional.empty();
    }

    /** How many bytes the ledger and its audit take where they are stored; absent where nobody can say. */
    default OptionalLong bytes() {
        return OptionalLong.empty();
    }

    /** How many of {@link #bytes} the audit takes, perhaps estimated, and cheap to say; absent where nobody can. */
    default OptionalLong auditBytes() {
        return OptionalLong.empty();
    }

    /** Reads the real settings of the store and judges them. */
    Inspection inspect();

    @Override
    void close();
}
