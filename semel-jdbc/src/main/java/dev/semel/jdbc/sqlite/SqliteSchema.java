package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.FenceJump;
import dev.semel.jdbc.shared.Schema;
import dev.semel.store.StoreProvider;
import dev.semel.time.StoreClock;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongUnaryOperator;

/** Installs the ledger in a file, and tells whether the ledger that a file holds is the one that was last there. */
final class SqliteSchema {
    /** "Semel" by the first letters; in the header of every file that holds a ledger and nothing had claimed before. */
    static final int APPLICATION_ID = 0x53454d4c;

    static final Schema SCHEMA = Schema.of("sqlite", SqliteSchema.class);

    private static final int[] OLDEST_SQLITE = {3, 51, 3};
    private static final int WAL_TRIES = 20;
    private static final int BEGIN_TRIES = 3;
    private static final String HAS_LEDGER =
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'semel_meta'";
    private static final String TIME = "SELECT mark, ahead FROM semel_meta";
    private static final String COPY = "SELECT coalesce(copy, '') FROM semel_meta";
    private static final String META = "SELECT version, ledger, epoch, fence FROM semel_meta";
    private static final String FIRST_META =
            "INSERT INTO semel_meta (one, version, ledger, epoch, fence, modes) VALUES (1, ?, ?, 1, 0, 1)";
    private static final String SET_META =
            "UPDATE semel_meta SET ledger = ?, epoch = ?, fence = ?, mark = ?, ahead = ?, copy = ?";

    private record Meta(int version, String ledger, int epoch, long fence) {}

    private final SqliteSession session;
    private final SqliteSidecar sidecar;
    private final SqliteFile file;
    private final SqliteErrors errors;
    private final SqliteClock clock;
    private final LongUnaryOperator jump;
    private final Schema schema;

    SqliteSchema(SqliteSession session, SqliteSidecar sidecar, SqliteFile file, SqliteClock clock) {
        this(session, sidecar, file, clock, SCHEMA, FenceJump::from);
    }

    /** @param jump how far the counter of fences goes forth from where it is, when the epoch is raised */
    SqliteSchema(
            SqliteSession session,
            SqliteSidecar sidecar,
            SqliteFile file,
            SqliteClock clock,
            Schema schema,
            LongUnaryOperator jump) {
        this.file = file;
        this.jump = jump;
        this.session = session;
        this.sidecar = sidecar;
        this.errors = file.errors();
        this.clock = clock;
        this.schema = schema;
    }

    /**
     * @param options whether to adopt the ledger although the sidecar contradicts it, and whether to install one
     *     where there is none
     * @return the ledger's name
     */
    String open(StoreProvider.Options options) throws SQLException, IOException {
        demandVersion();
        if (!options.create() && number(HAS_LEDGER) == 0) {
            throw errors.noLedger();
        }
        demandWal();
        inTransaction("BEGIN EXCLUSIVE", this::installIfAbsent);
        return inTransaction("BEGIN IMMEDIATE", () -> reconcile(options));
    }

    private void demandVersion() throws SQLException {
        String found = text("SELECT sqlite_version()");
        int[] parts =
                Arrays.stream(found.split("\\.")).mapToInt(Integer::parseInt).toArray();
        if (Arrays.compare(parts, OLDEST_SQLITE) < 0) {
            throw errors.refused(
                    "its SQLite is " + found + "; 3.51.3 or newer is needed, older ones can damage a log that"
                            + " two connections restart at once: put sqlite-jdbc 3.51.3.0 or newer on the class path");
        }
    }

    /** Two processes that change the mode at once get "busy" without a wait; a transaction in between does wait. */
    private void demandWal() throws SQLException, IOException {
        for (int tries = 1; ; tries++) {
            try {
                String mode = text("PRAGMA journal_mode = WAL");
                if (!mode.equals("wal")) {
                    throw errors.refused("its journal mode stays \"" + mode + "\": the file system does not let SQLite"
                            + " share memory. Use a local file system");
                }
                return;
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || tries == WAL_TRIES) {
                    throw e;
                }
                inTransaction("BEGIN IMMEDIATE", () -> "");
            }
        }
    }

    private String installIfAbsent() throws SQLException, IOException {
        long application = number("PRAGMA application_id");
        if (number(HAS_LEDGER) > 0) {
            return "";
        }
        if (application == APPLICATION_ID) {
            throw errors.refused(
                    "the file says that it holds a ledger, and the ledger is gone: put back an intact copy");
        }
        if (application != 0) {
            throw errors.refused("the file belongs to another application (its application_id is 0x"
                    + Long.toHexString(application) + "): name another file");
        }
        Optional<SqliteSidecar.Content> begun = sidecar.read();
        if (begun.isPresent() && !begun.get().unused()) {
            throw errors.refused(
                    "the file holds no ledger, but " + sidecar.path().getFileName()
                            + " records one: put the right file back, or delete " + sidecar.path()
                            + " to begin an empty ledger that knows nothing of what was done");
        }
        String ledger = begun.map(SqliteSidecar.Content::ledger)
                .orElseGet(() -> UUID.randomUUID().toString());
        runScripts(0);
        session.update(FIRST_META, statement -> {
            statement.setInt(1, schema.version());
            statement.setString(2, ledger);
        });
        session.execute("PRAGMA application_id = " + APPLICATION_ID);
        sidecar.write(new SqliteSidecar.Content(ledger, 1, 0, 0));
        return ledger;
    }

    /** Makes this code's version out of an older one, in the transaction that has begun; 0 for nothing. */
    private void runScripts(int from) throws SQLException {
        for (int next = from + 1; next <= schema.version(); next++) {
            for (String statement :
                    schema.script(next).replaceAll("--[^\n]*", "").split(";")) {
                if (!statement.isBlank()) {
                    session.execute(statement);
                }
            }
        }
    }

    /**
     * Compares the file with its sidecar, and upgrades an older schema. Every fence issued before, by a process that
     * crashed or by one that still runs, is at or below the sidecar's mark: so the counter jumps there, and the mark
     * advances before it. A copy of the file, also one with its sidecar, takes a new epoch and continues from another
     * number than all others.
     */
    private String reconcile(StoreProvider.Options options) throws SQLException, IOException {
        boolean adopt = options.adopt();
        Meta meta = session.first(
                        META,
                        SqliteSession.NOTHING,
                        row -> new Meta(row.getInt(1), row.getString(2), row.getInt(3), row.getLong(4)))
                .orElseThrow(() -> errors.refused("the ledger's own row is gone: put back an intact copy"));
        if (options.create()) {
            schema.demandUpgradable(errors.store(), meta.version());
        } else {
            schema.demandCurrent(errors.store(), meta.version());
        }
        Optional<SqliteSidecar.Content> found = read(adopt);
        String fault = fault(meta, found);
        if (!fault.isEmpty() && !adopt) {
            throw errors.refused(
                    fault + ". If the copy is intended, run semel store adopt: fences continue in a new epoch, and"
                            + " running records become UNKNOWN");
        }
        runScripts(meta.version());
        String copy = file.copy().orElse("");
        String last = text(COPY);
        boolean fresh = meta.fence() == 0 && last.isEmpty();
        boolean another = !copy.isEmpty() && !last.equals(copy) && !fresh;
        boolean raise = another || !fault.isEmpty();
        int highest =
                Math.max(meta.epoch(), found.map(SqliteSidecar.Content::epoch).orElse(0));
        int epoch = raise ? FenceJump.next(highest) : highest;
        long issued =
                Math.max(meta.fence(), found.map(SqliteSidecar.Content::mark).orElse(0L));
        long counter = raise ? issued + jump.applyAsLong(issued) : issued;
        sidecar.write(
                new SqliteSidecar.Content(meta.ledger(), epoch, meta.fence(), counter + SqliteWriteConnection.BLOCK));
        StoreClock.StoredTime time = clock.look(session.first(
                        TIME, SqliteSession.NOTHING, row -> new StoreClock.StoredTime(row.getLong(1), row.getLong(2)))
                .orElse(StoreClock.StoredTime.NOTHING));
        session.update(SET_META, statement -> {
            statement.setString(1, meta.ledger());
            statement.setInt(2, epoch);
            statement.setLong(3, counter);
            statement.setLong(4, time.mark());
            statement.setLong(5, time.ahead());
            statement.setString(6, copy);
        });
        return meta.ledger();
    }

    private Optional<SqliteSidecar.Content> read(boolean adopt) throws IOException {
        try {
            return sidecar.read();
        } catch (SqliteSidecar.Damaged e) {
            if (adopt) {
                return Optional.empty();
            }
            throw errors.refused(e.getMessage() + ": put back an intact copy of it, or run semel store adopt");
        }
    }

    private String fault(Meta meta, Optional<SqliteSidecar.Content> found) {
        String name = String.valueOf(sidecar.path().getFileName());
        if (found.isEmpty()) {
            return name + " is missing beside the ledger, so this may be an older copy";
        }
        SqliteSidecar.Content content = found.get();
        if (!content.ledger().equals(meta.ledger())) {
            return "the file holds another ledger (" + meta.ledger() + ") than " + name + " records ("
                    + content.ledger() + ")";
        }
        if (meta.epoch() < content.epoch() || meta.fence() < content.seen()) {
            return "an older copy was put in the place of the ledger: it ends at fence " + meta.epoch() + "/"
                    + meta.fence() + ", and " + name + " has seen " + content.epoch() + "/" + content.seen();
        }
        if (meta.epoch() > content.epoch() || meta.fence() > content.mark()) {
            return name + " is older than the ledger: it allows fences up to " + content.epoch() + "/" + content.mark()
                    + ", and the ledger is at " + meta.epoch() + "/" + meta.fence();
        }
        return "";
    }

    /** Something done in a transaction. */
    private interface Step {
        String run() throws SQLException, IOException;
    }

    /** Processes that write one transaction after the other leave a new one few chances: it tries for longer than they do. */
    private void begin(String begin) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                session.execute(begin);
                return;
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e) || tries == BEGIN_TRIES) {
                    throw e;
                }
            }
        }
    }

    private String inTransaction(String begin, Step step) throws SQLException, IOException {
        begin(begin);
        boolean done = false;
        try {
            String result = step.run();
            session.execute("COMMIT");
            done = true;
            return result;
        } finally {
            if (!done) {
                undo();
            }
        }
    }

    private void undo() {
        try {
            session.execute("ROLLBACK");
        } catch (SQLException e) {
            // SQLite has rolled back by itself; what is on its way says why.
            return;
        }
    }

    private long number(String sql) throws SQLException {
        return session.first(sql, SqliteSession.NOTHING, row -> row.getLong(1)).orElse(0L);
    }

    private String text(String sql) throws SQLException {
        return session.first(sql, SqliteSession.NOTHING, row -> row.getString(1))
                .orElse("");
    }
}
