package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.Permits;
import dev.semel.store.Permits.Take;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Permits where only PostgreSQL can show it: rows that a node holds which is paused. */
@Timeout(300)
class PostgresPermitsTest {
    private static final long SECOND = 1_000_000_000;

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final FreshSchema schema = FreshSchema.make();

    private static Take take(String tenant) {
        return new Take("charge", tenant, SECOND, 5, 1, false);
    }

    /** On a thread of its own, so that a wait without an end fails the test and does not hang it. */
    private static <T> T within(Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "permits");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(120, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private void assertLockedBucketIsNotWaitedForWithoutAnEnd(Store store) throws Exception {
        Permits permits = store.permits().orElseThrow();
        permits.take(take("acme"));
        permits.take(take("other"));
        time.advance(Duration.ofMinutes(1));
        try (Connection owner = schema.connect();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("UPDATE semel_permit SET taken = taken WHERE tenant = 'acme'");
            assertThatThrownBy(() -> within(() -> permits.take(take("acme"))))
                    .isInstanceOf(SemelException.Locked.class);
            assertThat(within(permits::removeFull))
                    .as("those that nobody holds")
                    .isEqualTo(1);
            assertThat(within(() -> permits.take(take("other"))).permits()).isEqualTo(1);
        }
        assertThat(permits.take(take("acme")).permits()).isEqualTo(1);
    }

    @Test
    void bucketThatAPausedNodeHoldsIsNotWaitedForWithoutAnEnd() throws Exception {
        try (Store store = schema.open(time)) {
            assertLockedBucketIsNotWaitedForWithoutAnEnd(store);
        }
    }

    @Test
    void bucketThatAPausedNodeHoldsIsNotWaitedForWithoutAnEndOnTheApplicationsConnections() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(schema.server().jdbcUrl(schema.database()) + "&currentSchema=" + schema.name());
        try (Store store = PostgresStore.on(source, new StoreProvider.Options(time, true))) {
            assertLockedBucketIsNotWaitedForWithoutAnEnd(store);
        }
    }

    @Test
    void fullBucketsAreAllRemovedHoweverManyThereAre() {
        try (Store store = schema.open(time)) {
            schema.execute("INSERT INTO semel_permit SELECT 'charge', 't' || n, 0, 1 FROM generate_series(1, 25000) n");
            assertThat(store.permits().orElseThrow().removeFull()).isEqualTo(25_000);
        }
    }

    /** A data source whose connections have the rights of a role. */
    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(schema.server().jdbcUrl(schema.database()) + "&currentSchema=" + schema.name());
        source.setOptions("-c role=" + role);
        return source;
    }

    /** As after an upgrade by an administrator's script. */
    @Test
    void roleWithoutRightsOnTheTableOfPermitsIsRejectedWhenTheStoreIsOpened() {
        String role = "limited_" + schema.name();
        schema.open(time).close();
        schema.execute("CREATE ROLE " + role);
        schema.execute("GRANT USAGE ON SCHEMA " + schema.name() + " TO " + role);
        schema.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + schema.name() + " TO " + role);
        schema.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema.name() + " TO " + role);
        schema.execute("REVOKE INSERT, DELETE ON semel_permit FROM " + role);
        StoreProvider.Options options = new StoreProvider.Options(time, true);
        assertThatThrownBy(() -> PostgresStore.on(as(role), options))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("the role " + role + " may not INSERT, DELETE on the table semel_permit")
                .hasMessageContaining("GRANT SELECT, INSERT, UPDATE, DELETE ON semel_permit TO " + role);
        schema.execute("GRANT INSERT, DELETE ON semel_permit TO " + role);
        try (Store store = PostgresStore.on(as(role), options)) {
            assertThat(store.permits().orElseThrow().take(take("acme")).permits())
                    .isEqualTo(1);
        }
    }

    @Test
    void roleThatOnlyReadsNeedsNoRightsOnTheTableOfPermits() {
        String role = "reading_" + schema.name();
        schema.open(time).close();
        schema.execute("CREATE ROLE " + role);
        schema.execute("GRANT USAGE ON SCHEMA " + schema.name() + " TO " + role);
        schema.execute("GRANT SELECT ON ALL TABLES IN SCHEMA " + schema.name() + " TO " + role);
        schema.execute("REVOKE ALL ON semel_permit FROM " + role);
        try (Store store = PostgresStore.on(as(role), new StoreProvider.Options(time, true))) {
            assertThat(store.ledger().find(java.util.List.of()).rows()).isEmpty();
        }
    }
}
