package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Sample;
import dev.semel.store.Inspection;
import dev.semel.store.LookupResult;
import dev.semel.store.Reserved;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Transactions;
import dev.semel.testkit.PrivatePostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Installing, refusing, the epoch, and what the settings are worth. */
@Timeout(300)
class PostgresOpeningTest {
    private final FreshSchema schema = FreshSchema.make();

    @Test
    void manyNodesThatStartAtOnceInstallTheSchemaOnce() throws Exception {
        int nodes = 8;
        CyclicBarrier start = new CyclicBarrier(nodes);
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            List<Future<Integer>> epochs = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                epochs.add(threads.submit(() -> {
                    start.await(120, TimeUnit.SECONDS);
                    try (Store store = schema.open(null)) {
                        return store.switchboard().epoch();
                    }
                }));
            }
            for (Future<Integer> epoch : epochs) {
                assertThat(epoch.get(120, TimeUnit.SECONDS)).isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void b11_schemaNewerThanTheCodeIsRejectedAndLeftAlone() {
        schema.open(null).close();
        schema.execute("UPDATE semel_meta SET schema_version = 99");
        assertThatThrownBy(() -> schema.open(null))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("version 99")
                .hasMessageContaining("newer");
    }

    @Test
    void a13_anotherServerOrTimelineRaisesTheEpochOnceAndFencesGrow() {
        Sample sample = new Sample("k");
        long before;
        try (Store store = schema.open(null)) {
            before = fence(store, sample);
        }
        schema.execute("UPDATE semel_meta SET timeline = timeline + 1; DELETE FROM semel_record;"
                + " SELECT setval('semel_fence', 1)");
        try (Store store = schema.open(null);
                Store second = schema.open(null)) {
            assertThat(store.switchboard().epoch()).isEqualTo(2);
            assertThat(second.switchboard().epoch()).isEqualTo(2);
            assertThat(fence(store, sample)).isGreaterThan(before);
        }
    }

    @Test
    void eventsStillGrowInNumberAfterAMoveToAServerWithLowerTransactionNumbers() {
        try (Store store = schema.open(null)) {
            store.audit().append(List.of(new Sample("k").event()));
        }
        schema.execute("UPDATE semel_audit SET tx = 1000000000000; UPDATE semel_meta SET system_identifier = 7");
        try (Store store = schema.open(null)) {
            store.audit().append(List.of(new Sample("later").event()));
            assertThat(store.audit().newest(dev.semel.store.AuditFilter.ALL, 2))
                    .extracting(row -> row.entry().subject().record())
                    .containsExactly(new Sample("later").id(), new Sample("k").id());
        }
    }

    @Test
    void unreachableServerIsNamedWithoutItsPassword() {
        assertThatThrownBy(() -> new PostgresProvider()
                        .open("postgresql://someone:hush@127.0.0.1:1/none", StoreProvider.Options.DEFAULT))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("127.0.0.1:1/none")
                .hasMessageNotContaining("hush");
    }

    @Test
    void missingSchemaIsRejectedWithAdvice() {
        String url = schema.server().url(schema.database()) + "?currentSchema=nowhere";
        assertThatThrownBy(() -> new PostgresProvider().open(url, StoreProvider.Options.DEFAULT))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("currentSchema");
    }

    @Test
    void settingsThatLoseCommitsLimitTheClassToC() {
        try (Store store = schema.open(null)) {
            Inspection inspection = store.inspect();
            assertThat(inspection.guarantee()).isEqualTo(Inspection.Guarantee.C);
            assertThat(inspection.findings())
                    .filteredOn(finding -> finding.limits() == Inspection.Guarantee.C)
                    .extracting(Inspection.CheckedSetting::setting)
                    .contains("fsync", "synchronous_commit");
        }
    }

    @Test
    void serverThatIsTooSmallForANodesConnectionsAndLocksIsAdvisedAndOfNoLowerClass() {
        try (PrivatePostgres small = PrivatePostgres.start(Map.of(
                        "max_connections", "12",
                        "max_locks_per_transaction", "10",
                        "superuser_reserved_connections", "2"));
                Store store = new PostgresProvider().open(small.url(), StoreProvider.Options.DEFAULT)) {
            Inspection inspection = store.inspect();
            assertThat(inspection.guarantee()).isEqualTo(Inspection.Guarantee.A);
            assertThat(advice(inspection, "max_connections"))
                    .contains("up to 11 connections", "poolSize 10", "10 are available");
            assertThat(advice(inspection, "max_locks_per_transaction"))
                    .contains("max_locks_per_transaction to 427 or more", "512 locks", "53200");
        }
    }

    @Test
    void serverAsItIsShippedHasRoomForANode() {
        try (Store store = schema.open(null)) {
            Inspection inspection = store.inspect();
            assertThat(advice(inspection, "max_connections")).isEmpty();
            assertThat(advice(inspection, "max_locks_per_transaction")).isEmpty();
        }
    }

    @Test
    void limitOfTheRoleOrTheDatabaseCountsLikeTheServers() {
        String database = schema.server().freshDatabase();
        String url = schema.server().url(database);
        try (Store store = new PostgresProvider().open(url, StoreProvider.Options.DEFAULT)) {
            assertThat(advice(store.inspect(), "max_connections")).isEmpty();
            schema.execute("ALTER DATABASE " + database + " CONNECTION LIMIT 5");
            assertThat(advice(store.inspect(), "max_connections")).contains("5 are available");
        }
    }

    private static String advice(Inspection inspection, String setting) {
        String advice = inspection.findings().stream()
                .filter(finding -> finding.setting().equals(setting))
                .findFirst()
                .orElseThrow()
                .advice();
        return advice == null ? "" : advice;
    }

    @Test
    void dataSourceOfTheApplicationWorksAtAnyIsolationLevel() throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(schema.server().jdbcUrl(schema.database()));
        source.setCurrentSchema(schema.name());
        source.setOptions("-c default_transaction_isolation=serializable");
        try (Store store = PostgresStore.on(source, StoreProvider.Options.DEFAULT)) {
            assertThat(isolation(store, tx -> {})).isEqualTo("read committed");
            fence(store, new Sample("k"));
            assertThat(isolation(store, tx -> {})).isEqualTo("read committed");
        }
        List<Integer> looks = new ArrayList<>();
        try (Store store = PostgresStore.on(source, StoreProvider.Options.DEFAULT)) {
            long version = store.switchboard().modes().version();
            for (String key : List.of("l", "m")) {
                assertThat(isolation(store, tx -> {
                            looks.add(looks.size());
                            assertThat(tx.lookUp(version, List.of(new Sample(key).identity())))
                                    .containsExactly(new LookupResult.Free());
                        }))
                        .isEqualTo("read committed");
            }
        }
        assertThat(looks)
                .as("once more for the first, which found another level")
                .hasSize(3);
    }

    /** The level at which a handler would run. */
    private static String isolation(Store store, Consumer<Transactions.Tx> before) throws Exception {
        return store.transactions().orElseThrow().run(tx -> {
            before.accept(tx);
            try (var statement = tx.connection().createStatement();
                    var found = statement.executeQuery("SHOW transaction_isolation")) {
                found.next();
                return Transactions.Ended.keep(found.getString(1));
            }
        });
    }

    private static long fence(Store store, Sample sample) {
        long version = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(version, List.of(sample.reservation()))
                        .get(0))
                .fence();
    }
}
