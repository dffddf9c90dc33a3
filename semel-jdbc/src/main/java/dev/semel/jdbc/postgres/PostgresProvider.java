package dev.semel.jdbc.postgres;

import dev.semel.jdbc.Demarcation;
import dev.semel.jdbc.JdbcStoreProvider;
import dev.semel.store.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens {@code postgresql://user:password@host:port/database} and the driver's {@code jdbc:postgresql:} URLs. */
public final class PostgresProvider implements JdbcStoreProvider {
    @Override
    public String engine() {
        return PostgresInstaller.SCHEMA.engine();
    }

    @Override
    public String example() {
        return "postgresql://user:password@localhost:5432/database";
    }

    @Override
    public List<Parameter> parameters() {
        return PostgresParameter.described();
    }

    @Override
    public boolean accepts(String url) {
        return PostgresUrl.accepts(url);
    }

    @Override
    public Store open(String url, Options options) {
        return PostgresStore.open(PostgresUrl.of(url), options);
    }

    @Override
    public String ddl(int from) {
        return PostgresInstaller.SCHEMA.ddl(from);
    }

    @Override
    public String product() {
        return "PostgreSQL";
    }

    @Override
    public Store on(DataSource source, @Nullable Demarcation demarcation, Options options) {
        return PostgresStore.on(source, demarcation, options);
    }

    @Override
    public void install(Connection connection) throws SQLException {
        new PostgresInstaller(PostgresStore.OF_APPLICATION, true).prepare(connection);
    }
}
