package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Switchboard.Setting;
import dev.semel.store.Transactions;
import dev.semel.time.ManualTime;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** C5 where only PostgreSQL can show it: owners that are paused in the middle of a grant, and the application's connections. */
@Timeout(300)
class PostgresLockedTest {
    private static final AuditEntry CHANGED =
            new AuditEntry(20, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, null);
    private static final long LEASE = 1_000;

    private final AtomicLong owners = new AtomicLong(1);
    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final FreshSchema schema = FreshSchema.make();

    private static Arrival arrival(int n, @Nullable String lane) {
        RecordId id = RecordId.of(ByteBuffer.allocate(RecordId.LENGTH).putInt(n).array());
        Header header = new Header("acme", "mail", "k" + n, Fingerprint.of(new byte[35]), "c", null);
        Line.Lane in = lane == null ? null : new Line.Lane(lane.hashCode(), lane);
        return new Arrival(id, header, null, in, Arrival.ArrivalTimes.NOW, null);
    }

    /** Claims until there is nothing more. */
    private List<Row> claim(Store store) {
        List<Row> rows = new ArrayList<>();
        for (Claimed claimed = once(store); claimed.more() || !claimed.rows().isEmpty(); claimed = once(store)) {
            rows.addAll(claimed.rows());
        }
        return rows;
    }

    private Claimed once(Store store) {
        Claim claim = new Claim(
                "mail",
                store.switchboard().modes().version(),
                new Reservation.Grant(owners.incrementAndGet(), LEASE, true, 3),
                new Claim.Amount(10, 10, 8, Claim.Budget.NONE),
                Claim.Turns.ALL,
                row -> null);
        return store.queue().orElseThrow().claim(claim);
    }

    /** The application's own connections, whose statements may be tampered with. */
    private Store onDataSource(UnaryOperator<String> tampering) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(schema.server().jdbcUrl(schema.database()) + "&currentSchema=" + schema.name());
        return PostgresStore.on(tampered(source, tampering), new StoreProvider.Options(time, true));
    }

    private static DataSource tampered(DataSource source, UnaryOperator<String> tampering) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, given) -> {
                    Object answer = invoked(source, method, given);
                    return answer instanceof Connection connection ? tampered(connection, tampering) : answer;
                });
    }

    private static Connection tampered(Connection connection, UnaryOperator<String> tampering) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, given) -> {
                    if (method.getName().equals("prepareStatement")) {
                        given[0] = tampering.apply((String) given[0]);
                    }
                    return invoked(connection, method, given);
                });
    }

    private static @Nullable Object invoked(Object target, java.lang.reflect.Method method, Object @Nullable [] given)
            throws Throwable {
        try {
            return method.invoke(target, given);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** One record whose owner's lease is over and whose row is locked, and another one that anybody may take over. */
    private void claimsGoOnBesideALockedRow(Store store) throws Exception {
        store.queue().orElseThrow().enqueue(List.of(arrival(1, null), arrival(2, null), arrival(3, "x")));
        assertThat(claim(store)).hasSize(3);
        time.advance(Duration.ofMillis(LEASE));
        try (Connection owner = schema.connect();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("UPDATE semel_record SET at = at WHERE key = convert_to('k1', 'UTF8')");
            assertThat(claim(store)).extracting(row -> row.header().key()).containsExactlyInAnyOrder("k2", "k3");
            assertThat(store.switchboard().set(new Setting(null, "other", Mode.HALTED), CHANGED))
                    .isPositive();
        }
    }

    @Test
    void c5_claimsContinueBesideALockedRow() throws Exception {
        try (Store store = schema.open(time)) {
            claimsGoOnBesideALockedRow(store);
        }
    }

    @Test
    void c5_claimsContinueBesideALockedRowOnTheApplicationsConnections() throws Exception {
        try (Store store = onDataSource(sql -> sql)) {
            claimsGoOnBesideALockedRow(store);
        }
    }

    @Test
    void c5_plantedBugClaimsThatDoNotSkipLockedRowsAreNoticed() {
        try (Store store = onDataSource(sql -> sql.replace(" SKIP LOCKED", ""))) {
            assertThatThrownBy(() -> claimsGoOnBesideALockedRow(store)).isInstanceOf(SemelException.Locked.class);
        }
    }

    @Test
    void c5_modesAreChangedAlthoughAnOwnerIsPausedInTheMiddleOfAGrant() throws Exception {
        try (Store store = schema.open(null);
                Connection owner = schema.connect();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("SELECT " + PostgresSql.SHARE_MODES);
            long before = store.switchboard().modes().version();
            assertThat(store.switchboard().set(new Setting(null, "mail", Mode.HALTED), CHANGED))
                    .isEqualTo(before + 1);
            assertThatThrownBy(owner::commit)
                    .as("a grant of the modes before")
                    .isInstanceOf(java.sql.SQLException.class);
        }
    }

    /** A node that is paused after it has taken hold of lanes, before it writes: their rows are not locked. */
    @Test
    void c5_takeoversContinueBesideLanesThatAPausedNodeHolds() throws Exception {
        try (Store store = schema.open(time);
                Connection owner = schema.connect();
                Statement statement = owner.createStatement()) {
            for (int from : new int[] {0, 10}) {
                store.queue()
                        .orElseThrow()
                        .enqueue(IntStream.range(from, from + 10)
                                .mapToObj(n -> arrival(n, "lane " + n))
                                .toList());
                assertThat(claim(store)).hasSize(10);
                time.advance(Duration.ofMillis(1));
            }
            time.advance(Duration.ofMillis(LEASE));
            owner.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock" + PostgresLanes.LOCK_ARGUMENTS
                    + " FROM (SELECT lane FROM semel_record ORDER BY at LIMIT 10) AS l");
            assertThat(claim(store))
                    .extracting(row -> row.header().key())
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(10, 20).mapToObj(n -> "k" + n).toList());
        }
    }

    @Test
    void c5_handlersTransactionKeepsItsOwnBoundForLocks() throws Exception {
        try (Store store = schema.open(time)) {
            store.queue().orElseThrow().enqueue(List.of(arrival(1, null)));
            store.transactions().orElseThrow().run(tx -> {
                Connection connection = tx.unwrap(Connection.class);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET LOCAL lock_timeout = '77s'");
                    tx.enqueue(List.of(arrival(2, null)));
                    try (var found = statement.executeQuery("SHOW lock_timeout")) {
                        found.next();
                        assertThat(found.getString(1)).isEqualTo("77s");
                    }
                }
                return dev.semel.store.Transactions.Ended.undo(true);
            });
        }
    }

    /** Does something while nobody can write to the ledger, because another transaction holds its table and does not end. */
    private void isLocked(Connection holder, Callable<?> task) throws Exception {
        FutureTask<?> running = new FutureTask<>(task);
        Thread thread = new Thread(running);
        thread.start();
        try {
            assertThatThrownBy(() -> running.get(120, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(SemelException.Locked.class)
                    .hasMessageContaining("nothing is committed");
        } finally {
            holder.rollback();
            thread.join();
        }
    }

    private void whileTheTableIsLocked(Store store, List<String> keys, Transactions.Work<Boolean> work)
            throws Exception {
        try (Connection holder = schema.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            isLocked(
                    holder,
                    () -> store.transactions().orElseThrow().run(tx -> {
                        tx.lookUp(
                                Transactions.ANY_MODES,
                                keys.stream().map(EffectFixture::identity).toList());
                        statement.execute("LOCK TABLE semel_record IN SHARE MODE");
                        return work.run(tx);
                    }));
        }
    }

    @Test
    void c5_firstRecordWriteWaitsForALockOnlySoLong() throws Exception {
        try (Store store = onDataSource(sql -> sql)) {
            whileTheTableIsLocked(store, List.of("a"), tx -> {
                tx.write(List.of(EffectFixture.write("a")));
                return Transactions.Ended.keep(true);
            });
        }
    }

    @Test
    void c5_batchOfRecordWritesWaitsForALockOnlySoLong() throws Exception {
        try (Store store = onDataSource(sql -> sql)) {
            whileTheTableIsLocked(store, List.of("a", "b"), tx -> {
                tx.write(List.of(EffectFixture.write("a"), EffectFixture.write("b")));
                return Transactions.Ended.keep(true);
            });
        }
    }

    @Test
    void c5_recordWritesThatDifferWaitForALockOnlySoLong() throws Exception {
        try (Store store = onDataSource(sql -> sql)) {
            RecordWrite b = EffectFixture.write("b");
            RecordWrite failed = new RecordWrite(
                    b.id(),
                    b.header(),
                    State.FAILED_TERMINAL,
                    b.times(),
                    new RecordWrite.WrittenOutcome(null, new byte[] {1}),
                    null);
            whileTheTableIsLocked(store, List.of("a", "b"), tx -> {
                tx.write(List.of(EffectFixture.write("a"), failed));
                return Transactions.Ended.keep(true);
            });
        }
    }

    @Test
    void c5_markWaitsForALockOnlySoLong() throws Exception {
        try (Store store = onDataSource(sql -> sql);
                Connection holder = schema.connect();
                Connection caller = schema.connect();
                Statement statement = holder.createStatement();
                Statement writing = caller.createStatement()) {
            schema.execute("CREATE TABLE effect (who TEXT)");
            long modes = store.switchboard().modes().version();
            Reserved granted = store.ledger()
                    .reserve(modes, List.of(EffectFixture.reservation("a", 7)))
                    .get(0);
            long fence = ((Reserved.Granted) granted).fence();
            holder.setAutoCommit(false);
            statement.execute("LOCK TABLE semel_record IN SHARE MODE");
            caller.setAutoCommit(false);
            writing.execute("INSERT INTO effect VALUES ('x')");
            Move mark = new Move(
                    EffectFixture.id("a"),
                    fence,
                    Set.of(State.IN_PROGRESS),
                    State.COMPLETED,
                    Move.Change.NONE,
                    List.of());
            Transactions.Tx joined = store.transactions().orElseThrow().join(caller);
            isLocked(holder, () -> joined.moveIfChanged(mark, 0));
        }
    }

    @Test
    void c5_callWhoseRecordWriteTimedOutOnALockIsRolledBackAndNotReportedInProgress() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Operation.Atomic<String, String> charge = Operation.atomic("charge", String.class, String.class);
        Call<String> call = Call.of(Tenant.of("acme"), Key.of("k"), "book").withPatience(Duration.ofSeconds(30));
        try (Engine engine =
                        EngineSettings.on(schema.open(null)).withoutBackground().open();
                Connection holder = schema.connect();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            assertThatThrownBy(() -> engine.run(charge, call, (payload, tx) -> {
                        if (runs.incrementAndGet() == 1) {
                            statement.execute("LOCK TABLE semel_record IN SHARE MODE");
                        }
                        return "done";
                    }))
                    .isInstanceOf(SemelException.Locked.class)
                    .hasMessageContaining("nothing is committed");
            assertThat(runs).hasValue(1);
            holder.rollback();
            assertThat(engine.run(charge, call, (payload, tx) -> "done")).isInstanceOf(Answer.Executed.class);
        }
    }

    /** A node that has detected another server waits for the node that raises the epoch, which may be paused. */
    @Test
    void c5_raiseOfTheEpochWaitsForALockOnlySoLong() throws Exception {
        try (Store store = onDataSource(sql -> sql);
                Connection holder = schema.connect();
                Statement statement = holder.createStatement()) {
            long modes = store.switchboard().modes().version();
            schema.execute("UPDATE semel_meta SET server_start = 'epoch'");
            holder.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(" + PostgresSql.INSTALL_LOCK + ")");
            FutureTask<List<Reserved>> reserving =
                    new FutureTask<>(() -> store.ledger().reserve(modes, List.of(EffectFixture.reservation("a", 7))));
            Thread thread = new Thread(reserving);
            thread.start();
            try {
                assertThatThrownBy(() -> reserving.get(120, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOf(SemelException.StoreUnavailable.class)
                        .hasMessageContaining("nothing was changed");
            } finally {
                holder.rollback();
                thread.join();
            }
            assertThat(store.ledger().reserve(modes, List.of(EffectFixture.reservation("a", 7))))
                    .allMatch(Reserved.Granted.class::isInstance);
        }
    }

    @Test
    void errorWhileAConnectionIsMadeReadyDoesNotLoseIt() {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(schema.server().jdbcUrl(schema.database()) + "&currentSchema=" + schema.name());
            pool.setMaximumPoolSize(1);
            AtomicBoolean failing = new AtomicBoolean(true);
            DataSource source = tampered(pool, sql -> {
                if (sql.contains("semel_clock") && failing.get()) {
                    throw new StackOverflowError("simulated");
                }
                return sql;
            });
            schema.open(null).close();
            assertThatThrownBy(() -> PostgresStore.on(source, new StoreProvider.Options(null, true)))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            failing.set(false);
            try (Store store = PostgresStore.on(source, new StoreProvider.Options(null, true))) {
                assertThat(store.switchboard().modes().version()).isPositive();
            }
        }
    }
}
