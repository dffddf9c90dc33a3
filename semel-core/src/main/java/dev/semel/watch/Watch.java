package dev.semel.watch;

import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.Semel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Receives events of the engine. Methods are called by the threads that do the work, so they must return fast, must
 * not block, and must be thread-safe. An exception that they throw is logged and changes nothing. They never get a
 * raw key.
 */
public interface Watch extends Semel.Observer {
    /** Does not want to know. With it a call costs nothing more: no clock is read, nothing is allocated. */
    Watch NONE = new Watch() {};

    /** A call, or the run of a delivery, begins. */
    default Trace begins(Span span) {
        return Trace.NONE;
    }

    /** It has its outcome; its trace has been ended. */
    default void ended(Span span) {}

    /** A send was answered. If it is part of a transaction, it may still be rolled back. */
    default void sent(String operation, String tenant, Outcome outcome) {}

    /** A message that was sent outside any transaction was acknowledged as durable after this time. */
    default void accepted(String operation, String tenant, long nanos) {}

    /**
     * A call was not run and nothing was stored of it.
     *
     * @param cause {@code rate_limit}, {@code tenant_rate_limit} or {@code breaker}
     */
    default void notAdmitted(String operation, String tenant, String cause) {}

    /** A failed attempt that another one follows. */
    default void retries(String operation, String tenant, Policy policy, Failure.Category category) {}

    /** A record became a dead letter. */
    default void died(String operation, String tenant, Failure.Category category) {}

    /** A record became UNKNOWN. */
    default void unknown(String operation, String tenant) {}

    /** A record was granted again because its lease was over. */
    default void takenOver(String operation, String tenant) {}

    /**
     * A request passed on a route where the HTTP filter only observes.
     *
     * @param route method and template
     * @param answer what the filter would have done: {@code executed}, {@code replayed}, or the code of a problem
     */
    default void logOnly(String route, String answer) {}

    /**
     * A webhook was answered.
     *
     * @param source the sender, as its declaration names it
     * @param answer {@code accepted}, {@code duplicate}, {@code conflict}, {@code handshake}, or the code of a problem
     */
    default void ingress(String source, String answer) {}

    /** Records past their retention were removed. */
    default void purged(String tenant, int records) {}

    /**
     * A store did something, well or badly.
     *
     * @param store its engine, such as "postgresql"
     * @param step what it did, such as "reserve"
     */
    default void took(String store, String step, long nanos) {}

    /**
     * So many shared one commit.
     *
     * @param step what they did, such as "reserve"
     */
    default void shared(String step, int size) {}

    /**
     * How much waits; told every now and then.
     *
     * @param oldest how long the one that is due longest has been; zero when nothing is due
     */
    default void waits(String channel, long depth, Duration oldest) {}

    /** How the ledger as a whole stands; told every now and then. */
    default void stands(LedgerGauges standing) {}

    /**
     * The ledger as a whole, of all nodes. Counts end at ten thousand.
     *
     * @param unknownAge how long the oldest of those that are UNKNOWN has been
     * @param leaseOverdue how long the lease that is over longest has been; zero when none is
     * @param bytes of ledger and audit where they are stored; -1 where nobody can say
     */
    record LedgerGauges(
            long deadLetters, long unknown, Duration unknownAge, Duration leaseOverdue, long bytes, PurgeGauges purge) {
        /** Without what the purge has left. */
        public LedgerGauges(long deadLetters, long unknown, Duration unknownAge, Duration leaseOverdue, long bytes) {
            this(deadLetters, unknown, unknownAge, leaseOverdue, bytes, PurgeGauges.NONE);
        }
    }

    /**
     * What the purge has left.
     *
     * @param auditBytes of the audit where it is stored, perhaps estimated; -1 where nobody can say
     * @param records how long the oldest expired record has been waiting for its removal; zero when none is expired
     * @param audit how long the oldest segment of the audit past its retention has; zero when there is none
     */
    record PurgeGauges(long auditBytes, Duration records, Duration audit) {
        /** Nothing is known of the audit, and nothing waits. */
        public static final PurgeGauges NONE = new PurgeGauges(-1, Duration.ZERO, Duration.ZERO);
    }

    /** One span for those who trace: entered and left around every run of the handler, on its thread; ended once. */
    interface Trace {
        Trace NONE = new Trace() {};

        /** An attempt starts on the calling thread: what its handler does belongs to this trace. */
        default void enter() {}

        /** The attempt is over, on the same thread. */
        default void leave() {}

        /** @param thrown why there is no answer */
        default void ended(Span span, @Nullable Throwable thrown) {}
    }
}
