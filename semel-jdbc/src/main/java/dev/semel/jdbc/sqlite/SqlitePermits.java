package dev.semel.jdbc.sqlite;

import dev.semel.store.Permits;

/** Rate limits of all processes: one row for each bucket, written with whatever else shares the commit. */
final class SqlitePermits implements Permits {
    private static final long NANOS = 1_000_000;

    private static final String READ = "SELECT used_until FROM semel_permit WHERE operation = ? AND tenant = ?";
    private static final String WRITE = """
            INSERT INTO semel_permit (operation, tenant, used_until) VALUES (?, ?, ?)
            ON CONFLICT (operation, tenant) DO UPDATE SET used_until = excluded.used_until""";

    /** So few that nobody waits long for the writer. */
    private static final int CHUNK = 10_000;

    private static final String REMOVE_FULL = "DELETE FROM semel_permit WHERE rowid IN"
            + " (SELECT rowid FROM semel_permit WHERE used_until <= ? LIMIT " + CHUNK + ")";

    private final SqliteAccess access;

    SqlitePermits(SqliteAccess access) {
        this.access = access;
    }

    @Override
    public Taken take(Take take) {
        return access.write(db -> {
            long usedUntil = db.session()
                    .first(
                            READ,
                            statement -> {
                                statement.setString(1, take.operation());
                                statement.setString(2, take.tenant());
                            },
                            row -> row.getLong(1))
                    .orElse(0L);
            Taken taken = take.from(usedUntil, access.now() * NANOS);
            if (taken.permits() > 0 || taken.usedUntil() < usedUntil) {
                db.session().update(WRITE, statement -> {
                    statement.setString(1, take.operation());
                    statement.setString(2, take.tenant());
                    statement.setLong(3, taken.usedUntil());
                });
            }
            return taken;
        });
    }

    @Override
    public int removeFull() {
        int all = 0;
        int removed;
        do {
            removed = access.write(db ->
                    db.session().update(REMOVE_FULL, statement -> statement.setLong(1, access.now() * NANOS)));
            all += removed;
        } while (removed == CHUNK);
        return all;
    }
}
