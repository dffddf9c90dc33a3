package dev.semel.jdbc;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;

/** Opens {@code postgresql://user:password@host:port/database} and the driver's {@code jdbc:postgresql:} URLs. */
public final class PostgresProvider implements StoreProvider {
    @Override
    public String engine() {
        return PostgresInstaller.SCHEMA.engine();
    }

    @Override
    public String example() {
        return "postgresql://user:password@localhost:5432/database";
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
}
