package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.ClockFinding;
import dev.semel.store.Inspection;
import dev.semel.store.Inspection.CheckedSetting;
import dev.semel.store.Inspection.Guarantee;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the settings as they are on the connections in use, not as they were asked for. */
final class SqliteInspection {
    private static final Set<String> NETWORK = Set.of("nfs", "nfs4", "cifs", "smb2", "smb3", "9p", "fuse.sshfs", "afs");
    private static final List<String> SYNCHRONOUS = List.of("OFF", "NORMAL", "FULL", "EXTRA");

    private final SqliteAccess access;
    private final SqliteSidecar sidecar;
    private final List<CheckedSetting> findings = new ArrayList<>();

    SqliteInspection(SqliteAccess access, SqliteSidecar sidecar) {
        this.access = access;
        this.sidecar = sidecar;
    }

    Inspection inspect() {
        access.write(db -> {
            journal(db.session());
            synchronous("synchronous (write connection)", db.session());
            findings.add(ClockFinding.of(Long.parseLong(text(db.session(), "SELECT ahead FROM semel_meta"))));
            return true;
        });
        access.read(session -> {
            synchronous("synchronous (read connections)", session);
            return true;
        });
        file();
        return new Inspection(
                findings.stream()
                        .map(CheckedSetting::limits)
                        .max(Guarantee::compareTo)
                        .orElse(Guarantee.A),
                findings);
    }

    private void journal(SqliteSession session) throws SQLException {
        good("sqlite", text(session, "SELECT sqlite_version()"));
        String mode = text(session, "PRAGMA journal_mode");
        add("journal_mode", mode, mode.equals("wal") ? null : "Set PRAGMA journal_mode = WAL.", Guarantee.C);
        good("busy_timeout", text(session, "PRAGMA busy_timeout") + " ms");
    }

    private void synchronous(String name, SqliteSession session) throws SQLException {
        int level = Integer.parseInt(text(session, "PRAGMA synchronous"));
        add(
                name,
                SYNCHRONOUS.get(level),
                level >= 2 ? null : "Set PRAGMA synchronous = FULL: less loses acknowledged commits at a power cut.",
                Guarantee.C);
    }

    private void file() {
        try {
            Set<PosixFilePermission> mode =
                    Files.getPosixFilePermissions(access.file().path());
            boolean open = !SqliteFile.PRIVATE.containsAll(mode);
            findings.add(new CheckedSetting(
                    "file mode",
                    PosixFilePermissions.toString(mode),
                    Guarantee.A,
                    open ? "Others can read payloads and results: chmod 600 the file." : null));
            String system = Files.getFileStore(access.file().path()).type().toLowerCase(Locale.ROOT);
            add(
                    "file system",
                    system,
                    NETWORK.contains(system)
                            ? "SQLite's locks and log need a local file system: move the file, or use PostgreSQL."
                            : null,
                    Guarantee.C);
            String told = sidecar.read()
                    .map(content -> "epoch " + content.epoch() + ", fences up to " + content.mark())
                    .orElse("missing");
            add("sidecar", told, told.equals("missing") ? "Run semel store adopt." : null, Guarantee.B);
        } catch (IOException | UnsupportedOperationException e) {
            findings.add(new CheckedSetting(
                    "file",
                    String.valueOf(e.getMessage()),
                    Guarantee.B,
                    "Check the file, its directory and its sidecar."));
        }
    }

    private void good(String setting, String value) {
        findings.add(new CheckedSetting(setting, value, Guarantee.A, null));
    }

    private void add(String setting, String value, @Nullable String advice, Guarantee otherwise) {
        findings.add(new CheckedSetting(setting, value, advice == null ? Guarantee.A : otherwise, advice));
    }

    private static String text(SqliteSession session, String sql) throws SQLException {
        return session.first(sql, SqliteSession.NOTHING, row -> row.getString(1))
                .orElse("");
    }
}
