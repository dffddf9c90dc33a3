package dev.semel.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.SemelException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A schema of the bench's own in somebody's database; dropped when closed, with all that was measured in it. */
final class PostgresPlace implements AutoCloseable {
    /** Connections of every pool, Semel's and the others'. */
    static final int CONNECTIONS = 32;

    private final String url;
    private final String schema = "semel_bench_" + Long.toHexString(System.nanoTime());

    /** @param url Semel's */
    PostgresPlace(String url) {
        this.url = url;
        execute("CREATE SCHEMA " + schema);
    }

    /** Semel's URL of the schema. */
    String semelUrl() {
        return semelUrl(CONNECTIONS);
    }

    /** The same, for a pool of so many connections. */
    String semelUrl(int connections) {
        return with(url, "currentSchema=" + schema + "&poolSize=" + connections);
    }

    /** The same, with everything that passes its connections counted by {@link CountingSockets}. */
    String countedUrl() {
        return with(semelUrl(), "socketFactory=" + CountingSockets.class.getName());
    }

    private static String with(String url, String parameters) {
        return url + (url.contains("?") ? "&" : "?") + parameters;
    }

    HikariDataSource pool() {
        return pool(CONNECTIONS, false);
    }

    HikariDataSource pool(int connections, boolean autoCommit) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl());
        config.setDataSourceProperties(user());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setAutoCommit(autoCommit);
        config.setPoolName("semel-bench");
        return new HikariDataSource(config);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), user());
    }

    void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw unavailable(e);
        }
    }

    String text(String query) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            found.next();
            return found.getString(1);
        } catch (SQLException e) {
            throw unavailable(e);
        }
    }

    /** Those of the server's settings that durable figures depend on. */
    Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (String name : List.of(
                "server_version",
                "fsync",
                "synchronous_commit",
                "full_page_writes",
                "wal_level",
                "wal_sync_method",
                "shared_buffers",
                "max_wal_size")) {
            settings.put(name, text("SHOW " + name));
        }
        settings.put("connections", CONNECTIONS);
        return settings;
    }

    private static SemelException.StoreUnavailable unavailable(SQLException e) {
        return new SemelException.StoreUnavailable(
                "The bench cannot work on the PostgreSQL it was given: SQLState " + e.getSQLState() + ", "
                        + e.getMessage() + ". It needs a database in which it may make a schema of its own.",
                e);
    }

    /** The driver takes the user apart from the URL. */
    private String jdbcUrl() {
        String plain = url.startsWith("jdbc:") ? url.substring("jdbc:".length()) : url;
        int slashes = plain.indexOf("://");
        int at = slashes < 0 ? -1 : authority(plain).lastIndexOf('@');
        String place = at < 0 ? plain : "postgresql://" + plain.substring(slashes + 3 + at + 1);
        return with("jdbc:" + place.replaceFirst("^postgres:", "postgresql:"), "currentSchema=" + schema);
    }

    private Properties user() {
        Properties properties = new Properties();
        String authority = url.contains("://") ? authority(url) : "";
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            String[] parts = authority.substring(0, at).split(":", 2);
            properties.setProperty("user", decoded(parts[0]));
            if (parts.length == 2) {
                properties.setProperty("password", decoded(parts[1]));
            }
        }
        return properties;
    }

    private static String authority(String url) {
        String rest = url.substring(url.indexOf("://") + 3);
        return rest.split("[/?]", 2)[0];
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        execute("DROP SCHEMA " + schema + " CASCADE");
    }
}
