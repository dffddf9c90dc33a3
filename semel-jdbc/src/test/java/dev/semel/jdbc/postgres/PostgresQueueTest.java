package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.Signals;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Behaviour of PostgreSQL only: concurrent claims, query plans, and notifications between nodes. */
@Timeout(300)
class PostgresQueueTest {
    private static final String CHANNEL = "mail";

    private final AtomicLong owners = new AtomicLong(1);

    private static Arrival arrival(String tenant, int n, int lanes) {
        RecordId id = RecordId.of(ByteBuffer.allocate(RecordId.LENGTH)
                .putInt(n * 0x9E3779B9)
                .putInt(n)
                .array());
        Header header = new Header(tenant, CHANNEL, "k" + n, Fingerprint.of(new byte[35]), "c", null);
        Line.Lane lane =
                lanes == 0 ? null : new Line.Lane(n % lanes * 5_000_000_000L - 7 + tenant.length(), "lane" + n % lanes);
        byte[] payload = Integer.toString(n).getBytes(StandardCharsets.UTF_8);
        return new Arrival(id, header, payload, lane, Arrival.ArrivalTimes.NOW, null);
    }

    private static void send(Store store, int from, int to, int lanes) {
        send(store, "acme", from, to, lanes);
    }

    private static void send(Store store, String tenant, int from, int to, int lanes) {
        for (int n = from; n < to; n += 500) {
            List<Arrival> batch = new ArrayList<>();
            for (int i = n; i < Math.min(to, n + 500); i++) {
                batch.add(arrival(tenant, i, lanes));
            }
            assertThat(store.queue().orElseThrow().enqueue(batch)).containsOnly(new Enqueued.Made());
        }
    }

    private List<Row> claim(Store store, int records) {
        return claim(store, records, Claim.Turns.ALL);
    }

    private List<Row> claim(Store store, int records, Claim.Turns turns) {
        Claim claim = new Claim(
                CHANNEL,
                store.switchboard().modes().version(),
                new Reservation.Grant(owners.incrementAndGet(), 60_000, true, 3),
                new Claim.Amount(records, 16, Claim.Budget.NONE),
                turns,
                row -> null);
        return store.queue().orElseThrow().claim(claim).rows();
    }

    private static void complete(Store store, List<Row> rows) {
        List<Move> moves = rows.stream()
                .map(row -> Transition.COMPLETE.of(
                        row.id(),
                        row.status().fence(),
                        Transition.result(Duration.ofDays(1), null).at(place(row)),
                        null))
                .toList();
        assertThat(store.ledger().move(moves)).containsOnly(new Moved.Applied());
    }

    private static Move.Place place(Row row) {
        Line.Lane lane = Objects.requireNonNull(row.line()).lane();
        return new Move.Place(lane == null ? null : lane.number(), Move.Then.LEAVE);
    }

    private static int number(Row row) {
        return Integer.parseInt(new String(Objects.requireNonNull(row.payload()), StandardCharsets.UTF_8));
    }

    @Test
    void manyClaimersAtOnceGrantEachRecordOnceAndKeepEveryLaneInOrder() throws Exception {
        int records = 3_000;
        int lanes = 20;
        FreshSchema schema = FreshSchema.make();
        Map<Integer, List<Integer>> served = new ConcurrentHashMap<>();
        AtomicInteger done = new AtomicInteger();
        try (Store store = schema.open(null);
                Store other = schema.open(null)) {
            send(store, 0, records / 3, 0);
            ExecutorService threads = Executors.newFixedThreadPool(5);
            List<Future<?>> all = new ArrayList<>();
            // One sender, so that the order of each lane is that of its numbers.
            all.add(threads.submit(() -> send(store, records / 3, records, lanes)));
            for (int i = 0; i < 4; i++) {
                Store node = i % 2 == 0 ? store : other;
                all.add(threads.submit(() -> {
                    while (done.get() < records) {
                        List<Row> rows = claim(node, 40);
                        for (Row row : rows) {
                            Line.Lane lane = Objects.requireNonNull(row.line()).lane();
                            int key = lane == null ? -1 : number(row) % lanes;
                            served.computeIfAbsent(
                                            key, any -> java.util.Collections.synchronizedList(new ArrayList<>()))
                                    .add(number(row));
                        }
                        if (!rows.isEmpty()) {
                            complete(node, rows);
                            done.addAndGet(rows.size());
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
            threads.shutdown();
            assertThat(store.queue().orElseThrow().backlog(CHANNEL).waiting()).isZero();
        }
        Set<Integer> distinct = new HashSet<>();
        served.values().forEach(distinct::addAll);
        assertThat(served.values().stream().mapToInt(List::size).sum()).isEqualTo(records);
        assertThat(distinct).hasSize(records);
        served.forEach((lane, order) -> {
            if (lane >= 0) {
                assertThat(order).as("lane " + lane).isSorted();
            }
        });
    }

    @Test
    void claimReadsInProportionToItsGrantsAndNotToTheBacklog() throws Exception {
        for (int lanes : List.of(0, 5_000, 1)) {
            FreshSchema schema = FreshSchema.make();
            try (Store store = schema.open(null)) {
                send(store, 0, 30_000, lanes);
            }
            Map<String, Long> before = read(schema, "n_tup_ins", 30_000);
            int granted = 0;
            try (Store store = schema.open(null)) {
                while (granted < 2_000) {
                    List<Row> rows = claim(store, 200);
                    complete(store, rows);
                    granted += rows.size();
                }
            }
            Map<String, Long> after = read(schema, "n_tup_upd", 2L * granted);
            assertThat(after.get("seq_tup_read"))
                    .as("rows read without an index, " + lanes + " lanes")
                    .isEqualTo(before.get("seq_tup_read"));
            assertThat(after.get("by_index") - before.get("by_index"))
                    .as("entries of indexes read, " + lanes + " lanes")
                    .isLessThan(25 * (after.get("written") - before.get("written")));
        }
    }

    @Test
    void claimForOneTenantReadsInProportionToItsGrantsWhateverWaitsForOthers() throws Exception {
        for (int lanes : List.of(0, 5_000, 1)) {
            FreshSchema schema = FreshSchema.make();
            try (Store store = schema.open(null)) {
                send(store, "acme", 0, 30_000, lanes);
                send(store, "globex", 30_000, 31_000, lanes);
            }
            Map<String, Long> before = read(schema, "n_tup_ins", 31_000);
            int granted = 0;
            try (Store store = schema.open(null)) {
                while (granted < 1_000) {
                    List<Row> rows = claim(store, 50, Claim.Turns.only("globex"));
                    complete(store, rows);
                    granted += rows.size();
                }
                for (int i = 0; i < 100; i++) {
                    assertThat(claim(store, 50, Claim.Turns.only("globex"))).isEmpty();
                    assertThat(claim(store, 50, Claim.Turns.only("nobody"))).isEmpty();
                }
            }
            Map<String, Long> after = read(schema, "n_tup_upd", 2L * granted);
            assertThat(after.get("seq_tup_read"))
                    .as("rows read without an index, " + lanes + " lanes")
                    .isEqualTo(before.get("seq_tup_read"));
            assertThat(after.get("by_index") - before.get("by_index"))
                    .as("entries of indexes read, " + lanes + " lanes")
                    .isLessThan(25 * (after.get("written") - before.get("written")));
        }
    }

    /** The server's counts of what was read, once it has counted so many writes. */
    private static Map<String, Long> read(FreshSchema schema, String counter, long atLeast) throws Exception {
        return Await.until(
                "the server has counted " + atLeast + " in " + counter,
                () -> counts(schema, counter),
                counts -> counts.getOrDefault("counted", 0L) >= atLeast);
    }

    private static Map<String, Long> counts(FreshSchema schema, String counter) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT t.seq_tup_read, t.n_tup_upd, t." + counter
                        + ", (SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)"
                        + " FROM pg_stat_user_tables t WHERE t.relid = 'semel_record'::regclass")) {
            Map<String, Long> counts = new HashMap<>();
            if (found.next()) {
                counts.put("seq_tup_read", found.getLong(1));
                counts.put("written", found.getLong(2));
                counts.put("counted", found.getLong(3));
                counts.put("by_index", found.getLong(4));
            }
            return counts;
        }
    }

    @Test
    void announcementWakesTheOtherNodeAndNotItsOwn() throws Exception {
        FreshSchema schema = FreshSchema.make();
        FreshSchema elsewhere = FreshSchema.make();
        try (Store one = schema.open(null);
                Store two = schema.open(null);
                Store stranger = elsewhere.open(null)) {
            Signals signals = one.signals().orElseThrow();
            assertThat(signals.await(Duration.ofMillis(1))).isEmpty();
            signals.announce(Set.of("own"));
            stranger.signals().orElseThrow().announce(Set.of("elsewhere"));
            two.signals().orElseThrow().announce(Set.of("mail", "chat"));
            assertThat(signals.await(Duration.ofSeconds(60))).containsExactlyInAnyOrder("mail", "chat");
        }
    }

    @Test
    void announcementsOfAnyNumberOfOperationsGetThrough() throws Exception {
        FreshSchema schema = FreshSchema.make();
        Set<String> many = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            many.add("operation-with-a-rather-long-name-" + i);
        }
        try (Store one = schema.open(null);
                Store two = schema.open(null)) {
            Signals signals = one.signals().orElseThrow();
            signals.await(Duration.ofMillis(1));
            two.signals().orElseThrow().announce(many);
            Set<String> heard = new HashSet<>();
            while (heard.size() < many.size()) {
                heard.addAll(signals.await(Duration.ofSeconds(60)));
            }
            assertThat(heard).isEqualTo(many);
        }
    }

    @Test
    void listenerWhoseConnectionIsLostListensAgain() throws Exception {
        FreshSchema schema = FreshSchema.make();
        try (Store one = schema.open(null);
                Store two = schema.open(null)) {
            Signals signals = one.signals().orElseThrow();
            signals.await(Duration.ofMillis(1));
            schema.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE query = 'LISTEN semel_' || md5('" + schema.name() + "')");
            Set<String> heard = Set.of();
            while (heard.isEmpty()) {
                two.signals().orElseThrow().announce(Set.of("mail"));
                try {
                    heard = signals.await(Duration.ofMillis(10));
                } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                    assertThat(e).hasMessageContaining("listening");
                }
            }
            assertThat(heard).containsExactly("mail");
        }
    }

    @Test
    void closingEndsAWaitForAnnouncements() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Store store = FreshSchema.make().open(null)) {
            Signals signals = store.signals().orElseThrow();
            signals.await(Duration.ofMillis(1));
            Future<Set<String>> waiting = thread.submit(() -> signals.await(Duration.ofHours(1)));
            signals.close();
            assertThat(waiting.get(120, TimeUnit.SECONDS)).isEmpty();
        } finally {
            thread.shutdown();
        }
    }

    @Test
    void recordInALaneIsSkippedByAClaimThatCannotLockTheLane() throws Exception {
        FreshSchema schema = FreshSchema.make();
        try (Store store = schema.open(null);
                Connection holder = schema.connect();
                Statement statement = holder.createStatement()) {
            send(store, 0, 2, 1);
            holder.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock" + PostgresLanes.LOCK_ARGUMENTS
                    + " FROM (SELECT DISTINCT lane FROM semel_record) AS l");
            assertThat(claim(store, 10)).isEmpty();
            holder.rollback();
            List<Row> rows = claim(store, 10);
            assertThat(rows).extracting(PostgresQueueTest::number).containsExactly(0, 1);
            assertThat(rows).allMatch(row -> row.state() == State.IN_PROGRESS);
        }
    }
}
