package dev.semel.spring;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Semel;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.engine.Effects;
import dev.semel.testkit.engine.EngineContract;
import dev.semel.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * What every caller is promised, where Spring begins and ends the transactions: the same suite as for every store, with effects
 * that go by way of Spring alone.
 */
abstract class SpringContract extends EngineContract {
    private final Databases database;
    private final List<HikariDataSource> pools = new ArrayList<>();
    private String url = "";

    SpringContract(Databases database) {
        this.database = database;
    }

    @Override
    protected Store open(TimeSource time) {
        url = database.fresh();
        return reopened(time);
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return reopened(time);
    }

    private Store reopened(TimeSource time) {
        // Nodes that a test has stopped keep no connections: some tests start hundreds of them.
        pools.stream()
                .map(HikariDataSource::getHikariPoolMXBean)
                .filter(java.util.Objects::nonNull)
                .forEach(com.zaxxer.hikari.HikariPoolMXBean::softEvictConnections);
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(20);
        pool.setMinimumIdle(0);
        pools.add(pool);
        return ApplicationStore.on(
                pool,
                new SpringTransactions(new JdbcTransactionManager(pool), pool),
                new StoreProvider.Options(time, false));
    }

    @AfterEach
    void closePools() {
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }

    @Override
    protected Effects effects(Store store) {
        List<JdbcTemplate> nodes = pools.stream().map(JdbcTemplate::new).toList();
        JdbcTemplate jdbc = nodes.get(0);
        jdbc.execute("CREATE TABLE IF NOT EXISTS applied (name TEXT NOT NULL)");
        return new Effects() {
            /** On whichever node the handler runs, its transaction is the one that is bound to the thread. */
            @Override
            public void apply(Semel.Transaction tx, String name) {
                List<JdbcTemplate> here = pools.stream()
                        .filter(pool ->
                                org.springframework.transaction.support.TransactionSynchronizationManager.hasResource(
                                        pool))
                        .map(JdbcTemplate::new)
                        .toList();
                if (here.isEmpty()) {
                    insertByHand(tx, name);
                } else {
                    here.get(0).update("INSERT INTO applied (name) VALUES (?)", hex(name));
                }
            }

            @Override
            public long count(String name) {
                Long count = jdbc.queryForObject("SELECT count(*) FROM applied WHERE name = ?", Long.class, hex(name));
                return count == null ? 0 : count;
            }
        };
    }

    /** In a transaction that a test has begun itself and joined. */
    private static void insertByHand(Semel.Transaction tx, String name) {
        try (var insert = tx.connection().prepareStatement("INSERT INTO applied (name) VALUES (?)")) {
            insert.setString(1, hex(name));
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** PostgreSQL's text cannot hold every key. */
    private static String hex(String name) {
        return HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    protected Optional<Connection> connect() throws SQLException {
        return Optional.of(DriverManager.getConnection(url));
    }
}
