package dev.semel.store;

import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks for due records of one operation.
 *
 * @param operation a channel, or an operation with a registered handler
 * @param modesVersion nothing is granted at another one
 * @param grant the owner's token, the lease, and whether what another left unfinished may be taken over
 * @param amount how much
 * @param turns whose turn it is among the tenants
 * @param takenOver makes the event of a record that is taken from a holder whose lease is over
 */
public record Claim(
        String operation,
        long modesVersion,
        Reservation.Grant grant,
        Amount amount,
        Turns turns,
        Function<Row, @Nullable AuditEntry> takenOver) {

    /**
     * @param records at most so many records
     * @param run at most so many consecutive records of one lane
     * @param takeovers of these, at most so many that are taken from a holder whose lease is over
     * @param budget of these, how many may be retries
     * @param inline payloads of at most so many bytes are read with their records; of others only the size is
     *     ({@link Row.Contents#withheld}), to be read with {@link Ledger#find}. So an answer is small whatever is granted
     */
    public record Amount(int records, int run, int takeovers, Budget budget, int inline) {
        /** The limit of claims for the workers of a node, and of {@link Queue#heldBy}. */
        public static final int SMALL = 16 << 10;

        /** With all payloads. */
        public Amount(int records, int run, int takeovers, Budget budget) {
            this(records, run, takeovers, budget, Integer.MAX_VALUE);
        }

        /** With no other limit for what is taken over. */
        public Amount(int records, int run, Budget budget) {
            this(records, run, records, budget);
        }
    }

    /**
     * Retries that all nodes together may begin in a second, with up to a second's worth saved up. The store counts them.
     *
     * @param perSecond 0 for no limit
     */
    public record Budget(int perSecond) {
        public static final Budget NONE = new Budget(0);
    }

    /**
     * Tenants take turns in the order of their names.
     *
     * @param after begin with the tenant after this one, and go round
     * @param except leave out these
     * @param only records of this tenant and of no other, and then nobody is left out; absent for all tenants
     */
    public record Turns(
            String after, Set<String> except, @Nullable String only) {
        public static final Turns ALL = new Turns("", Set.of());

        public Turns {
            except = Set.copyOf(except);
            if (only != null && !except.isEmpty()) {
                throw new IllegalArgumentException(
                        "A claim is either for one tenant or for all but some: " + only + ", except " + except);
            }
        }

        /** Of all tenants but these. */
        public Turns(String after, Set<String> except) {
            this(after, except, null);
        }

        /** Of one tenant. What such a claim costs does not depend on what other tenants have waiting. */
        public static Turns only(String tenant) {
            return new Turns("", Set.of(), tenant);
        }

        /** Whether records of this tenant may be granted. */
        public boolean includes(String tenant) {
            return (only == null || only.equals(tenant)) && !except.contains(tenant);
        }
    }
}
