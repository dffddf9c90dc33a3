package dev.semel.cli;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A ledger in a file, as an application leaves it. */
record SampleLedger(Path file) {
    static final Operation.Atomic<String, String> CHARGE = Operation.atomic("charge", String.class, String.class);
    static final Operation.Leased<String, String> REFUND = Operation.leased("refund", String.class, String.class);

    /** What happens while a leased handler runs. */
    interface Meanwhile {
        void run() throws Exception;
    }

    static SampleLedger in(Path directory) {
        SampleLedger ledger = new SampleLedger(directory.resolve("orders.db"));
        ledger.engine().close();
        return ledger;
    }

    String url() {
        return "sqlite:" + file;
    }

    Answer<String> charge(String key) {
        try (Engine engine = engine()) {
            return engine.run(CHARGE, call(key), (payload, tx) -> "receipt of " + payload);
        }
    }

    void refund(String key, Meanwhile meanwhile) {
        try (Engine engine = engine()) {
            engine.run(REFUND, call(key), (payload, run) -> {
                meanwhile.run();
                return "refunded";
            });
        }
    }

    void seal() {
        try (Engine engine = engine()) {
            engine.duties().sealer().sealAll();
        }
    }

    /** As someone with the file and a SQLite shell might. */
    void tamper(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            connection.createStatement().executeUpdate(sql);
        }
    }

    private static Call<String> call(String key) {
        return Call.of(Tenant.of("acme"), Key.of(key), "order");
    }

    private Engine engine() {
        return EngineSettings.at(url()).withoutBackground().open();
    }
}
