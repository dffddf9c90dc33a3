package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.store.CommitRefused;
import dev.semel.time.TimeSource;
import dev.semel.time.Uninterrupted;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commits, and decides about a commit whose reply was lost.
 *
 * <p>The server is asked for the status of the transaction by its number until it is no longer in progress; a session
 * that lingers because the server has not noticed the broken connection is ended. Then the ledger is read: the fence
 * that the transaction wrote is unique, so a row under it proves the commit, also where a number was used a second
 * time after a crash or a failover. No row and "aborted" proves the opposite. Anything else stays unknown, and
 * repeating the call is safe.
 *
 * <p>The record of a first call and COMMIT are sent in one round trip, which saves a quarter of the call. Nothing is
 * lost by that: the number and the fence were drawn before, with the lookup, so they are known whenever a COMMIT is
 * under way; and whether an error is the ledger's or, from a deferred constraint or trigger, the handler's own is
 * told by the server, which is left in a failed transaction by the one and outside of any by the other.
 */
final class PostgresCommits {
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final String STATUS = "SELECT pg_xact_status(?::text::xid8)";

    /** By the transaction alone: behind a pooler the driver does not know the server's process. */
    private static final String END_SESSION =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = ?::text::xid8::xid";

    private static final String EVIDENCE = "SELECT count(*) FROM semel_record WHERE id = ? AND fence = ? AND state = ?";

    /** SQLState for a transaction number that the server has not reached: it is behind the one that handed it out. */
    private static final String IN_THE_FUTURE = "22023";

    private final PostgresSessions sessions;
    private final TimeSource clock = TimeSource.system();

    PostgresCommits(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    record Undecided(@Nullable String xid, List<PostgresTx.Evidence> evidence, SQLException cause) {}

    /** How a transaction ended. */
    enum Status {
        COMMITTED,
        ABORTED,
        /** Still in progress, or the server could not be asked. */
        OPEN,
        UNKNOWN
    }

    /** How a transaction is committed. */
    @FunctionalInterface
    interface CommitCall {
        void commit() throws Exception;
    }

    /**
     * Null when it was committed for sure. An error that the server reported means a rollback for sure, and is the
     * work's own failure. The caller's interrupt is cleared meanwhile and restored afterwards: it came too late to
     * prevent the commit.
     *
     * @throws CommitRefused when the server, or the transaction manager that commits in Semel's place, rejected the
     *     commit
     */
    @Nullable
    Undecided commit(PostgresTx tx, CommitCall way) {
        try {
            Uninterrupted.once(() -> {
                way.commit();
                return true;
            });
            return null;
        } catch (SemelException | CommitRefused e) {
            throw e;
        } catch (Exception e) {
            SQLException driver = PostgresErrors.in(e);
            if (driver != null && PostgresErrors.connectionLost(driver)) {
                return new Undecided(tx.xid() == null ? tx.number() : tx.xid(), List.copyOf(tx.evidence()), driver);
            }
            if (driver != null && PostgresErrors.serverUnable(driver)) {
                throw sessions.failure("the commit", driver);
            }
            throw new CommitRefused(e);
        }
    }

    /** Returns when it was committed. */
    void decide(Undecided commit) {
        if (commit.xid == null) {
            throw unknown(commit, "it wrote nothing to the ledger by which it could be found");
        }
        switch (end(commit)) {
            case COMMITTED -> {
                return;
            }
            case ABORTED ->
                throw new SemelException.StoreUnavailable(
                        sessions.name() + ": the connection was lost during COMMIT, and the server rolled back;"
                                + " nothing was committed. Repeat the call.",
                        commit.cause);
            case UNKNOWN -> throw unknown(commit, "the server no longer knows the transaction");
            case OPEN -> throw unknown(commit, "still undecided after " + BOUND.toSeconds() + " s");
        }
    }

    /** How a transaction ended that was to be rolled back, and that its handler may have committed. */
    Status endOf(String number) {
        return end(new Undecided(number, List.of(), new SQLException("The connection was lost.", "08006")));
    }

    /**
     * Asks the server until the outcome is known, for a bounded time. An interrupt does not change the answer and is kept
     * for the caller: it only ends a pause or one query early.
     */
    private Status end(Undecided commit) {
        boolean interrupted = false;
        try {
            long start = clock.nanos();
            Status status = Status.OPEN;
            while (status == Status.OPEN && clock.nanos() - start < BOUND.toNanos()) {
                interrupted |= Thread.interrupted();
                status = ask(commit);
                if (status == Status.OPEN) {
                    interrupted |= pauseIsInterrupted();
                }
            }
            return status;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean pauseIsInterrupted() {
        try {
            clock.sleep(PAUSE);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private Status ask(Undecided commit) {
        try (Connection connection = sessions.take()) {
            connection.setAutoCommit(true);
            return judge(connection, commit);
        } catch (SQLException | SemelException.StoreUnavailable e) {
            commit.cause.addSuppressed(e);
            return Status.OPEN;
        }
    }

    private Status judge(Connection connection, Undecided commit) throws SQLException {
        String status = status(connection, commit);
        if (status.equals("in progress")) {
            endSession(connection, commit);
            return Status.OPEN;
        }
        if (commit.evidence.isEmpty()) {
            return switch (status) {
                case "committed" -> Status.COMMITTED;
                case "aborted" -> Status.ABORTED;
                default -> Status.UNKNOWN;
            };
        }
        if (isWritten(connection, commit.evidence.get(0))) {
            return Status.COMMITTED;
        }
        return status.equals("aborted") ? Status.ABORTED : Status.UNKNOWN;
    }

    private static String status(Connection connection, Undecided commit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATUS)) {
            statement.setString(1, commit.xid);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                String status = found.getString(1);
                return status == null ? "" : status;
            }
        } catch (SQLException e) {
            if (PostgresErrors.state(e).equals(IN_THE_FUTURE)) {
                return "aborted";
            }
            throw e;
        }
    }

    private static void endSession(Connection connection, Undecided commit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(END_SESSION)) {
            statement.setString(1, commit.xid);
            statement.executeQuery().close();
        }
    }

    private static boolean isWritten(Connection connection, PostgresTx.Evidence evidence) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EVIDENCE)) {
            new PostgresBinder(statement)
                    .bytes(evidence.id().bytes())
                    .number(evidence.fence())
                    .number((long) evidence.state());
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                return found.getInt(1) == 1;
            }
        }
    }

    private SemelException.OutcomeUnknown unknown(Undecided commit, String why) {
        return new SemelException.OutcomeUnknown(
                sessions.name()
                        + ": the connection was lost during COMMIT and the outcome is unknown (" + why
                        + "). Repeat the call to learn it.",
                commit.cause);
    }
}
