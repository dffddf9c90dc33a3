/** The ledger on PostgreSQL and SQLite. Applications name nothing in it: {@code Semel.open} finds it. */
@SuppressWarnings({"module", "requires-automatic"})
module dev.semel.jdbc {
    requires transitive dev.semel;
    requires com.zaxxer.hikari;
    requires org.postgresql.jdbc;
    requires org.xerial.sqlitejdbc;

    exports dev.semel.jdbc to
            dev.semel.spring;
    // The driver makes its sockets by the name of a class.
    exports dev.semel.jdbc.postgres to
            org.postgresql.jdbc;

    provides dev.semel.store.StoreProvider with
            dev.semel.jdbc.postgres.PostgresProvider,
            dev.semel.jdbc.sqlite.SqliteProvider;
}
