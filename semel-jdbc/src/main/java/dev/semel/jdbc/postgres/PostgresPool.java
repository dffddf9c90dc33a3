package dev.semel.jdbc.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.SemelException.StoreUnavailable;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The physical connections of a store that was opened by URL. Each new one is checked like the first: after a failover the
 * pool reconnects by itself, perhaps to another server, and then the epoch must rise before anything is granted.
 */
final class PostgresPool implements DataSource {
    private final PostgresUrl url;
    private final PostgresInstaller installer;
    private final boolean open;
    private volatile boolean pooled;

    /** @param open whether the store was opened before, by a connection that was checked as the first one */
    private PostgresPool(PostgresUrl url, boolean create, boolean open) {
        this.url = url;
        this.open = open;
        this.installer = new PostgresInstaller(url.name(), create);
    }

    static HikariDataSource open(PostgresUrl url, boolean create) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(new PostgresPool(url, create, true));
        config.setPoolName("semel-postgresql");
        config.setMaximumPoolSize(url.pool().size());
        config.setMinimumIdle(0);
        config.setConnectionTimeout(url.pool().waitMillis());
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /**
     * Connects once outside the pool, which would wrap what is wrong in a time-out.
     *
     * @return whether a pooler is between, see {@link PostgresPooler}
     */
    static boolean check(PostgresUrl url, boolean create) {
        try {
            PostgresPool pool = new PostgresPool(url, create, false);
            pool.getConnection().close();
            return pool.pooled;
        } catch (SQLException e) {
            throw e.getCause() instanceof StoreUnavailable known
                    ? known
                    : new StoreUnavailable(
                            url.name() + ": cannot be reached (" + PostgresErrors.brief(e)
                                    + "); nothing was run. Check that the server is up and the URL right.",
                            e);
        }
    }

    /** A connection on which the server speaks unasked: its silence is as it should be, however long. */
    static Connection listen(PostgresUrl url) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(url.driver());
        if (PostgresSockets.class.getName().equals(properties.getProperty("socketFactory"))) {
            properties.remove("socketFactory");
            properties.remove("socketFactoryArg");
        }
        return connect(url, properties);
    }

    /** A connection as the driver makes it. */
    static Connection connect(PostgresUrl url) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(url.driver());
        return connect(url, properties);
    }

    private static Connection connect(PostgresUrl url, Properties properties) throws SQLException {
        Connection connection = new org.postgresql.Driver().connect(url.jdbc(), properties);
        if (connection == null) {
            throw new SQLException("The driver does not accept " + url.name() + ".", "08001");
        }
        return connection;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = connect(url);
        try {
            pooled = PostgresPooler.isBetween(connection);
            if (pooled) {
                PostgresPooler.keepNothingPrepared(connection);
                PostgresPooler.demandSchema(connection, url);
            } else {
                setForSession(connection);
            }
            if (open) {
                installer.prepareFurther(connection);
            } else {
                installer.prepare(connection);
            }
            return connection;
        } catch (StoreUnavailable e) {
            connection.close();
            throw new SQLException(e.getMessage(), "08001", e);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private void setForSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET default_transaction_isolation = 'read committed'; SET"
                    + " idle_in_transaction_session_timeout = " + url.pool().idleMillis());
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("The user is given in the URL.");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // connectTimeout in the URL is the driver's own
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
