package dev.semel.policy;

import dev.semel.Failure.Category;
import dev.semel.Policy.Rule;
import dev.semel.SemelException;
import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.sql.SQLDataException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What is known about the exceptions of the platform and of Semel. A policy's rule for the same class replaces one of these.
 * Plain {@code IOException} is left out on purpose: parsers throw it too.
 */
final class BuiltInRules {
    static final Rule UNLISTED = new Rule(true, Category.UNKNOWN);

    private static final Rule NETWORK = new Rule(true, Category.NETWORK);
    private static final Rule TIMEOUT = new Rule(true, Category.TIMEOUT);
    private static final Rule UPSTREAM = new Rule(true, Category.UPSTREAM_ERROR);
    private static final Rule CONFLICT = new Rule(false, Category.CONFLICT);
    private static final Rule BUG = new Rule(false, Category.BUG);
    private static final Rule PROGRAMMING = new Rule(true, Category.BUG);

    static final Map<Class<?>, Rule> BY_CLASS = Map.ofEntries(
            Map.entry(Error.class, BUG),
            // Retried within bounds like any exception that is not listed, and named for what they are.
            Map.entry(NullPointerException.class, PROGRAMMING),
            Map.entry(ClassCastException.class, PROGRAMMING),
            Map.entry(IndexOutOfBoundsException.class, PROGRAMMING),
            Map.entry(ArithmeticException.class, PROGRAMMING),
            Map.entry(OutOfMemoryError.class, UNLISTED), // tells of the node, not of the work
            Map.entry(SocketException.class, NETWORK),
            Map.entry(UnknownHostException.class, NETWORK),
            Map.entry(UnresolvedAddressException.class, NETWORK),
            Map.entry(ClosedChannelException.class, NETWORK),
            Map.entry(EOFException.class, NETWORK),
            Map.entry(SSLException.class, NETWORK),
            Map.entry(InterruptedIOException.class, TIMEOUT), // SocketTimeoutException among them
            Map.entry(ClosedByInterruptException.class, TIMEOUT),
            Map.entry(HttpTimeoutException.class, TIMEOUT),
            Map.entry(TimeoutException.class, TIMEOUT),
            Map.entry(InterruptedException.class, TIMEOUT),
            Map.entry(SQLTransientException.class, UPSTREAM),
            Map.entry(SQLTimeoutException.class, TIMEOUT),
            Map.entry(SQLTransientConnectionException.class, NETWORK),
            Map.entry(SQLNonTransientConnectionException.class, NETWORK),
            Map.entry(SQLRecoverableException.class, NETWORK),
            Map.entry(SQLIntegrityConstraintViolationException.class, CONFLICT),
            Map.entry(SQLSyntaxErrorException.class, BUG),
            Map.entry(SQLFeatureNotSupportedException.class, BUG),
            Map.entry(SQLDataException.class, BUG),
            Map.entry(SemelException.Invalid.class, new Rule(false, Category.VALIDATION)),
            Map.entry(SemelException.Misconfigured.class, BUG),
            Map.entry(SemelException.StoreUnavailable.class, NETWORK),
            Map.entry(SemelException.LeaseLost.class, new Rule(true, Category.LEASE_LOST)),
            Map.entry(SemelException.TransactionMustBeRetried.class, new Rule(true, Category.CONFLICT)));

    /** By class of SQLState: drivers such as PostgreSQL's throw plain {@code SQLException}s. */
    private static final Map<String, Rule> BY_SQL_STATE_CLASS = Map.of(
            "08", NETWORK, // connection exception
            "22", BUG, // data exception
            "23", CONFLICT, // integrity constraint violation
            "40", UPSTREAM, // transaction rollback: serialization failure, deadlock
            "42", BUG, // syntax error or access rule violation
            "53", UPSTREAM, // insufficient resources
            "55", UPSTREAM, // object not in the required state: lock not available
            "57", NETWORK); // operator intervention: shutdown, restart

    private static final Map<String, Rule> BY_SQL_STATE =
            Map.of("57014", TIMEOUT /* query cancelled */, "HYT00", TIMEOUT, "HYT01", TIMEOUT);

    private BuiltInRules() {}

    static @Nullable Rule bySqlState(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return null;
        }
        Rule exact = BY_SQL_STATE.get(state);
        return exact != null ? exact : BY_SQL_STATE_CLASS.get(state.substring(0, 2));
    }
}
