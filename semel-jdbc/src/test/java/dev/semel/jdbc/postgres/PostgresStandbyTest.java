package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.Sample;
import dev.semel.store.Reserved;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A17: a streaming standby is promoted behind the application's own data source. It has not received everything that
 * the lost primary wrote, so the counter of fences continues from before the last ones of the primary.
 */
@Timeout(180)
class PostgresStandbyTest {
    /** More than the server writes to its log ahead of a sequence. */
    private static final int FENCES = 100;

    @Test
    void a17_promotedStandbyThatLagsBehindIssuesNoFenceTwice() throws Exception {
        Map<String, String> settings = new TreeMap<>(PrivatePostgres.FAST);
        settings.put("wal_level", "replica");
        try (PrivatePostgres primary = PrivatePostgres.start(settings)) {
            makeTable(primary);
            SwitchedDataSource source = new SwitchedDataSource(primary);
            List<Long> all = new ArrayList<>();
            try (Store store = PostgresStore.on(source, StoreProvider.Options.DEFAULT)) {
                all.add(fence(store, "before the standby"));
                try (PrivatePostgres standby = primary.startStandby()) {
                    standby.cutOff();
                    issue(store, "primary", all);
                    primary.kill();
                    standby.promote();
                    source.switchTo(standby);
                    issue(store, "standby", all);
                    assertThat(all).hasSize(1 + 4 * FENCES).doesNotHaveDuplicates();
                    long before = all.subList(0, 1 + 2 * FENCES).stream()
                            .mapToLong(fence -> fence >>> 48)
                            .max()
                            .orElseThrow();
                    assertThat(all.subList(1 + 2 * FENCES, all.size())).allMatch(fence -> fence >>> 48 > before);
                }
            }
        }
    }

    private static void makeTable(PrivatePostgres server) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (n serial PRIMARY KEY, who text)");
        }
    }

    /** Reservations and direct atomic calls in turn. */
    private static void issue(Store store, String by, List<Long> all) throws Exception {
        for (int i = 0; i < FENCES; i++) {
            all.add(fence(store, by + " reserved " + i));
            String key = by + " called " + i;
            EffectFixture.call(store, key);
            var id = EffectFixture.id(key);
            all.add(store.ledger().find(List.of(id)).get(id).status().fence());
        }
    }

    private static long fence(Store store, String key) {
        long version = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(version, List.of(new Sample(key).reservation()))
                        .get(0))
                .fence();
    }
}
