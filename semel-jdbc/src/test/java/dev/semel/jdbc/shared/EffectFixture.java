package dev.semel.jdbc.shared;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reservation;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A service with one table, {@code effect}, and calls that write one row of it each. */
public final class EffectFixture {
    public static final Fingerprint FINGERPRINT = Fingerprint.of(new byte[35]);
    private static final long DAY = 86_400_000;

    private EffectFixture() {}

    public static void makeTable(Store store) throws Exception {
        transactions(store).run(tx -> {
            execute(tx.unwrap(Connection.class), "CREATE TABLE IF NOT EXISTS effect (n INTEGER PRIMARY KEY, who TEXT)");
            return Ended.keep(true);
        });
    }

    /** A direct atomic call: true when this one ran it, false when it was already there. */
    public static boolean call(Store store, String key) throws Exception {
        long modes = store.switchboard().modes().version();
        return transactions(store).run(tx -> {
            if (tx.lookUp(modes, List.of(identity(key))).get(0) instanceof LookupResult.Found) {
                return Ended.undo(false);
            }
            insert(tx.unwrap(Connection.class), key);
            tx.write(List.of(write(key)));
            return Ended.keep(true);
        });
    }

    public static void insert(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO effect (who) VALUES (?)")) {
            statement.setString(1, key);
            statement.executeUpdate();
        }
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static long number(Store store, String sql) throws Exception {
        return transactions(store).run(tx -> Ended.undo(number(tx.unwrap(Connection.class), sql)));
    }

    public static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getLong(1);
        }
    }

    public static Transactions transactions(Store store) {
        return store.transactions().orElseThrow();
    }

    public static Identity identity(String key) {
        return Identity.of(Tenant.of("acme"), "charge", Key.of(key));
    }

    public static RecordId id(String key) {
        return identity(key).id();
    }

    public static Header header(String key) {
        return new Header("acme", "charge", key, FINGERPRINT, "correlation", null);
    }

    public static AuditEntry event(String key) {
        return new AuditEntry(
                2, new AuditEntry.Subject("acme", "charge", id(key), FINGERPRINT.bytes(), null), null, 0, 0, null);
    }

    public static RecordWrite write(String key) {
        return new RecordWrite(
                id(key),
                header(key),
                State.COMPLETED,
                new RecordWrite.WriteTimes(DAY, 0, 1),
                new RecordWrite.WrittenOutcome(key.getBytes(StandardCharsets.UTF_8), null),
                event(key));
    }

    public static Reservation reservation(String key, long owner) {
        return new Reservation(
                identity(key), header(key), null, new Reservation.Grant(owner, 30_000, true, 3), null, null);
    }
}
