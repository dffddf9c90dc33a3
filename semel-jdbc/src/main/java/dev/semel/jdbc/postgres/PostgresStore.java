package dev.semel.jdbc.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.SemelException;
import dev.semel.jdbc.Demarcation;
import dev.semel.store.ActivityLog;
import dev.semel.store.AuditLog;
import dev.semel.store.Inspection;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.Signals;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The ledger on PostgreSQL 13 or later: class A with the server's durable settings. The tables are installed on opening, in
 * the first schema of the search path. Thread-safe; any number of nodes may share one database.
 */
final class PostgresStore implements Store {
    /** The name of a store on the application's own connections, in messages. */
    static final String OF_APPLICATION = "postgresql (data source of the application)";

    private static final String BYTES =
            "SELECT pg_total_relation_size('semel_record') + pg_total_relation_size('semel_audit')"
                    + " + pg_total_relation_size('semel_seal')";

    private static final String AUDIT_BYTES =
            "SELECT pg_total_relation_size('semel_audit') + pg_total_relation_size('semel_seal')";

    private final PostgresSessions sessions;
    private final int pool;
    private final Runnable onClose;
    private final PostgresLedger ledger;
    private final PostgresAuditLog audit;
    private final PostgresSwitchboard switchboard;
    private final PostgresPermits permits;
    private final PostgresActivity activity;
    private final PostgresTransactions transactions;
    private final PostgresQueue queue;
    private final @Nullable PostgresSignals signals;

    /** @param pool how many connections there are at most; 0 if they are the application's */
    private PostgresStore(
            PostgresSessions sessions,
            int pool,
            PostgresTransactions transactions,
            @Nullable PostgresSignals signals,
            Runnable onClose) {
        this.sessions = sessions;
        this.pool = pool;
        this.transactions = transactions;
        this.signals = signals;
        this.onClose = onClose;
        this.ledger = new PostgresLedger(sessions);
        this.audit = new PostgresAuditLog(sessions);
        this.switchboard = new PostgresSwitchboard(sessions);
        this.permits = new PostgresPermits(sessions);
        this.activity = new PostgresActivity(sessions);
        this.queue = new PostgresQueue(sessions);
    }

    /**
     * A store on connections of the application's own, which must be plain ones: not bound to a transaction manager's
     * thread. Semel takes one at a time on a thread, for as long as a call or an atomic handler takes, and gives it back. The
     * data source is not closed with the store. Where its connections are not at READ COMMITTED by default, every transaction
     * costs one round trip more than on a store opened by URL.
     *
     * <p>Whether the server was restored or failed over is checked here and by every statement that grants: after a failover
     * behind the data source nothing is granted before the epoch is raised.
     *
     * @throws SemelException.Misconfigured when the database cannot serve, saying what to do
     * @throws SemelException.StoreUnavailable when it cannot be reached
     */
    static PostgresStore on(DataSource source, StoreProvider.Options options) {
        return on(source, null, options);
    }

    static PostgresStore on(DataSource source, @Nullable Demarcation demarcation, StoreProvider.Options options) {
        PostgresInstaller installer = new PostgresInstaller(OF_APPLICATION, options.create());
        PostgresSessions sessions = new PostgresSessions(source, OF_APPLICATION, false, options.time(), installer);
        Connection connection = sessions.take();
        try {
            sessions.lookForPooler(connection);
            installer.prepare(connection);
        } finally {
            PostgresSessions.giveBack(connection);
        }
        return new PostgresStore(sessions, 0, new PostgresTransactions(sessions, demarcation), null, () -> {});
    }

    static PostgresStore open(PostgresUrl url, StoreProvider.Options options) {
        boolean pooled = PostgresPool.check(url, options.create());
        HikariDataSource pool = PostgresPool.open(url, options.create());
        PostgresInstaller installer = new PostgresInstaller(url.name(), options.create());
        PostgresSessions sessions = new PostgresSessions(pool, url.name(), !pooled, options.time(), installer);
        PostgresSignals signals = null;
        if (pooled) {
            sessions.foundPooler(url.pool().idleMillis());
        } else {
            signals = new PostgresSignals(sessions, () -> PostgresPool.listen(url));
        }
        return new PostgresStore(
                sessions, url.pool().size(), new PostgresTransactions(sessions, null), signals, pool::close);
    }

    @Override
    public String name() {
        return sessions.name();
    }

    @Override
    public Ledger ledger() {
        return ledger;
    }

    @Override
    public AuditLog audit() {
        return audit;
    }

    @Override
    public Switchboard switchboard() {
        return switchboard;
    }

    @Override
    public Optional<Transactions> transactions() {
        return Optional.of(transactions);
    }

    @Override
    public Optional<Queue> queue() {
        return Optional.of(queue);
    }

    /** Absent on the application's own connections, of which none is kept for listening, and behind a pooler. */
    @Override
    public Optional<Signals> signals() {
        return Optional.ofNullable(signals);
    }

    @Override
    public Optional<Permits> permits() {
        return Optional.of(permits);
    }

    @Override
    public Optional<ActivityLog> activity() {
        return Optional.of(activity);
    }

    @Override
    public OptionalLong bytes() {
        return size("reading the size of the ledger", BYTES);
    }

    @Override
    public OptionalLong auditBytes() {
        return size("reading the size of the audit", AUDIT_BYTES);
    }

    private OptionalLong size(String what, String sql) {
        return sessions.once(what, connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet found = statement.executeQuery(sql)) {
                found.next();
                return OptionalLong.of(found.getLong(1));
            }
        });
    }

    @Override
    public Inspection inspect() {
        return sessions.once(
                "an inspection", connection -> PostgresInspection.of(connection, pool, sessions.isPooled()));
    }

    @Override
    public void close() {
        if (signals != null) {
            signals.close();
        }
        onClose.run();
    }
}
