package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.Demarcation;
import dev.semel.store.ActivityLog;
import dev.semel.store.AuditLog;
import dev.semel.store.Inspection;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The ledger in one file, with the application's own tables beside it if it likes. */
final class SqliteStore implements Store {
    private static final String BYTES = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";

    /**
     * Counting pages would read the whole table. Events are numbered without gaps and purged from the beginning, so their number is
     * known; the newest ones tell how long they are. A seal holds 16 bytes of each.
     */
    private static final String AUDIT_BYTES = """
            SELECT coalesce((SELECT max(seq) FROM semel_audit) - (SELECT min(seq) FROM semel_audit) + 1, 0)
                * (SELECT coalesce(avg(40 + length(tenant) + coalesce(length(operation), 0) + coalesce(length(record), 0)
                    + coalesce(length(fingerprint), 0) + coalesce(length(correlation), 0) + coalesce(length(policy), 0)
                    + coalesce(length(body), 0)), 0)
                    FROM (SELECT * FROM semel_audit ORDER BY seq DESC LIMIT 100))""";

    private final SqliteAccess access;
    private final SqliteSidecar sidecar;
    private final SqliteLedger ledger;
    private final SqliteAuditLog audit;
    private final SqliteSwitchboard switchboard;
    private final SqlitePermits permits;
    private final SqliteActivity activity;
    private final SqliteTransactions transactions;
    private final SqliteQueue queue;

    private SqliteStore(SqliteAccess access, SqliteSidecar sidecar, String name, @Nullable Demarcation demarcation) {
        this.access = access;
        this.sidecar = sidecar;
        SqliteBackground background = new SqliteBackground(access, TimeSource.system());
        this.ledger = new SqliteLedger(access, background);
        this.audit = new SqliteAuditLog(access, background);
        this.switchboard = new SqliteSwitchboard(access);
        this.permits = new SqlitePermits(access);
        this.activity = new SqliteActivity(access, background);
        this.queue = new SqliteQueue(access);
        this.transactions = new SqliteTransactions(access, new SqliteJoined.Marks(sidecar, name), demarcation);
    }

    static SqliteStore open(String url, StoreProvider.Options options) {
        return open(url, null, options);
    }

    /** The ledger in the file that the application's data source leads to. */
    static SqliteStore on(DataSource source, @Nullable Demarcation demarcation, StoreProvider.Options options) {
        return open("sqlite:" + SqliteConnections.file(source), demarcation, options);
    }

    private static SqliteStore open(String url, @Nullable Demarcation demarcation, StoreProvider.Options options) {
        TimeSource given = options.time();
        TimeSource wall = given == null ? TimeSource.system() : given;
        SqliteClock clock = new SqliteClock(wall);
        SqliteFile file = SqliteFile.of(url, clock.time());
        SqliteSidecar sidecar = new SqliteSidecar(file.path());
        file.prepare(sidecar, options.create());
        try {
            String name;
            try (SqliteSession session = file.connect(SqliteFile.Role.WRITE)) {
                name = new SqliteSchema(session, sidecar, file, clock).open(options);
            }
            SqliteWriteConnection db = new SqliteWriteConnection(file, sidecar, name, clock);
            SqliteWriter<SqliteWriteConnection> writer = new SqliteWriter<>(db, file.time(), file.errors());
            int readers = Math.max(2, Runtime.getRuntime().availableProcessors());
            SqliteAccess access = new SqliteAccess(file, db, writer, new SqliteReaders(file, readers));
            return new SqliteStore(access, sidecar, name, demarcation);
        } catch (SQLException e) {
            throw file.errors().cannotOpen(e);
        } catch (IOException e) {
            throw file.errors().refused(sidecar.path() + " cannot be read or written (" + e.getMessage() + ")");
        }
    }

    /** For tests. */
    SqliteAccess access() {
        return access;
    }

    /** For tests: how many transactions were committed. */
    long commits() {
        return access.writer().commits();
    }

    @Override
    public String name() {
        return access.errors().store();
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
        return access.read(session -> OptionalLong.of(session.first(BYTES, SqliteSession.NOTHING, row -> row.getLong(1))
                .orElse(0L)));
    }

    @Override
    public OptionalLong auditBytes() {
        return access.read(session ->
                OptionalLong.of(session.first(AUDIT_BYTES, SqliteSession.NOTHING, row -> (long) row.getDouble(1))
                        .orElse(0L)));
    }

    @Override
    public Inspection inspect() {
        return new SqliteInspection(access, sidecar).inspect();
    }

    @Override
    public void close() {
        access.close();
    }
}
