package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingActivityLog;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.watch.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a node writes to the history of activity. */
class ActivityRecorderTest {
    private static final long START = 1_800_000_000_000L;
    private static final Duration ROUND = ActivityRecorder.PACE;

    private final ManualTime time = new ManualTime(START);
    private final MemoryStore store = new MemoryStore(time);
    private final ActivityLog log = store.activity().orElseThrow();
    private final AtomicLong nodes = new AtomicLong();

    private ActivityRecorder node() {
        return node(log);
    }

    private ActivityRecorder node(ActivityLog on) {
        return new ActivityRecorder(on, time, nodes::incrementAndGet);
    }

    private void round(ActivityRecorder node) {
        time.advance(ROUND);
        node.round(time::millis);
    }

    private long sum(ActivityStep step, String tenant, String name) {
        return log.read(step, tenant, 0, Long.MAX_VALUE).stream()
                .mapToLong(row -> row.counts().of(name))
                .sum();
    }

    private static void send(ActivityRecorder node, String tenant, int times) {
        for (int i = 0; i < times; i++) {
            node.sent("mail", tenant, Outcome.ACCEPTED);
        }
    }

    @Test
    void countsAreWrittenForAllTenantsAndForEach() {
        ActivityRecorder node = node();
        send(node, "acme", 3);
        send(node, "globex", 2);
        node.died("mail", "acme", Failure.Category.NETWORK);
        node.accepted("mail", "acme", 1_500_000);
        round(node);
        assertThat(log.read(ActivityStep.SECONDS, "", 0, Long.MAX_VALUE))
                .containsExactly(new ActivityRow(
                        ActivityStep.SECONDS,
                        START,
                        "",
                        "mail",
                        0,
                        ActivityCounts.parse("accepted 5 ack_11 1 dead_letters 1")));
        assertThat(sum(ActivityStep.SECONDS, "acme", "accepted")).isEqualTo(3);
        assertThat(sum(ActivityStep.SECONDS, "globex", "accepted")).isEqualTo(2);
        assertThat(sum(ActivityStep.SECONDS, "globex", "dead_letters")).isZero();
    }

    @Test
    void longerTimesAreWrittenOnceAMinuteAndWhenTheNodeEnds() {
        ActivityRecorder node = node();
        send(node, "acme", 1);
        round(node);
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(1);
        send(node, "acme", 1);
        round(node);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(2);
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(1);
        for (int i = 0; i < 6; i++) {
            round(node);
        }
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(2);
        send(node, "acme", 1);
        node.flush(true);
        for (ActivityStep step : ActivityStep.values()) {
            assertThat(sum(step, "", "accepted")).as(step.name()).isEqualTo(3);
        }
    }

    @Test
    void nodeThatWasRestartedAddsToWhatItWroteBefore() {
        ActivityRecorder before = node();
        send(before, "acme", 2);
        before.flush(true);
        ActivityRecorder after = node();
        send(after, "acme", 3);
        after.flush(true);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(5);
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"FAIL_BEFORE", "FAIL_AFTER", "LOSE_REPLY", "UNKNOWN"})
    void writeThatFailedIsMadeUpForAndNothingCountsTwice(Fault fault) {
        ActivityLog faulty = new FaultyStore(store, Faults.nth(2, StoreCall.WRITE_ACTIVITY, fault))
                .activity()
                .orElseThrow();
        ActivityRecorder node = node(faulty);
        send(node, "acme", 1);
        round(node);
        send(node, "acme", 2);
        assertThatThrownBy(() -> round(node)).isInstanceOf(SemelException.class);
        send(node, "acme", 4);
        round(node);
        node.flush(true);
        for (ActivityStep step : ActivityStep.values()) {
            assertThat(sum(step, "", "accepted")).as(step.name()).isEqualTo(7);
            assertThat(sum(step, "acme", "accepted")).as(step.name()).isEqualTo(7);
        }
    }

    @Test
    void longOutageLosesShortTimesAndKeepsTheHours() {
        AtomicLong writes = new AtomicLong();
        ActivityLog away = new FaultyStore(
                        store, call -> writes.incrementAndGet() <= 60 ? Fault.FAIL_BEFORE : Fault.NONE)
                .activity()
                .orElseThrow();
        ActivityRecorder node = node(away);
        for (int i = 0; i < 60; i++) {
            send(node, "acme", 1);
            assertThatThrownBy(() -> round(node)).isInstanceOf(SemelException.StoreUnavailable.class);
        }
        node.flush(true);
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(60);
        assertThat(sum(ActivityStep.MINUTES, "", "accepted")).isEqualTo(60);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isBetween(10L, 59L);
    }

    @Test
    void clockThatGoesBackReplacesNothing() {
        ActivityRecorder node = node();
        for (int i = 0; i < 20; i++) {
            send(node, "acme", 1);
            round(node);
        }
        time.jump(Duration.ofSeconds(-150));
        for (int i = 0; i < 5; i++) {
            send(node, "acme", 1);
            round(node);
        }
        node.flush(true);
        for (ActivityStep step : ActivityStep.values()) {
            assertThat(sum(step, "", "accepted")).as(step.name()).isEqualTo(25);
        }
    }

    @Test
    void tenantsWithoutRoomAreCountedTogetherWithTheOthers() {
        ActivityRecorder node = node();
        for (int i = 0; i < 5_000; i++) {
            send(node, "tenant " + i, i < 10 ? 3 : 1);
        }
        round(node);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(5_020);
        for (int i = 0; i < 10; i++) {
            assertThat(sum(ActivityStep.SECONDS, "tenant " + i, "accepted"))
                    .as("the largest have rows of their own")
                    .isEqualTo(3);
        }
        assertThat(sum(ActivityStep.SECONDS, "tenant 4999", "accepted")).isZero();
    }

    @Test
    void tenantThatBecameQuietMakesRoomForAnother() {
        ActivityRecorder node = node();
        for (int i = 0; i < 2_000; i++) {
            send(node, "early " + i, 1);
        }
        for (int i = 0; i < 8; i++) {
            round(node);
        }
        send(node, "late", 1);
        round(node);
        assertThat(sum(ActivityStep.SECONDS, "late", "accepted")).isEqualTo(1);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(2_001);
    }

    @Test
    void operationsWithoutRoomAreCountedUnderNoName() {
        ActivityRecorder node = node();
        for (int i = 0; i < 300; i++) {
            node.sent("operation " + i, "acme", Outcome.ACCEPTED);
        }
        round(node);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(300);
        List<ActivityRow> rows = log.read(ActivityStep.SECONDS, "", 0, Long.MAX_VALUE);
        assertThat(rows).hasSize(201);
        assertThat(rows.get(0).operation()).isEmpty();
        assertThat(rows.get(0).counts().of("accepted")).isEqualTo(100);
    }

    @Test
    void operationThatBecameQuietMakesRoomForAnother() {
        ActivityRecorder node = node();
        for (int i = 0; i < 200; i++) {
            node.sent("early " + i, "acme", Outcome.ACCEPTED);
        }
        for (int i = 0; i < 8; i++) {
            node.sent("busy", "acme", Outcome.ACCEPTED);
            round(node);
        }
        send(node, "acme", 1);
        round(node);
        assertThat(log.read(ActivityStep.SECONDS, "", time.millis() - ROUND.toMillis(), Long.MAX_VALUE))
                .extracting(ActivityRow::operation)
                .containsExactly("mail");
        assertThat(sum(ActivityStep.SECONDS, "acme", "accepted")).isEqualTo(209);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(209);
    }

    @Test
    void rowThatTheStoreRefusesKeepsNoOtherBack() {
        AtomicLong refused = new AtomicLong();
        ActivityRecorder node = node(new ForwardingActivityLog(log) {
            @Override
            public void write(List<ActivityRow> rows) {
                if (rows.stream().anyMatch(row -> row.tenant().equals("東京"))) {
                    refused.incrementAndGet();
                    throw new SemelException.DataRefused(
                            "simulated: not in this encoding", new IllegalStateException());
                }
                super.write(rows);
            }
        });
        for (int i = 0; i < 200; i++) {
            send(node, i == 77 ? "東京" : "tenant " + i, 1);
        }
        round(node);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(200);
        for (int i = 0; i < 200; i++) {
            assertThat(sum(ActivityStep.HOURS, "tenant " + i, "accepted")).isEqualTo(i == 77 ? 0 : 1);
        }
        long halvings = refused.get();
        assertThat(halvings).as("of 603 rows, 3 are refused").isLessThanOrEqualTo(40);
        round(node);
        assertThat(refused).as("what was dropped is not written again").hasValue(halvings);
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nodeEndsWhileTheStoreDoesNotAnswer() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        ActivityRecorder node = node(new ForwardingActivityLog(log) {
            @Override
            public void write(List<ActivityRow> rows) {
                reached.countDown();
                try {
                    answers.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                super.write(rows);
            }
        });
        send(node, "acme", 1);
        Thread writer = new Thread(() -> round(node));
        writer.start();
        reached.await();
        node.end();
        answers.countDown();
        writer.join();
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(1);
    }

    @Test
    void nodeThatEndsWritesWhatItCountedUnlessTheLastWriteFailed() {
        ActivityRecorder node = node();
        send(node, "acme", 1);
        node.end();
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(1);
        Faults faults = Faults.nth(1, StoreCall.WRITE_ACTIVITY, Fault.FAIL_BEFORE);
        ActivityRecorder failing =
                node(new FaultyStore(store, faults).activity().orElseThrow());
        send(failing, "acme", 1);
        assertThatThrownBy(() -> round(failing)).isInstanceOf(SemelException.StoreUnavailable.class);
        failing.end();
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isEqualTo(1);
    }

    @Test
    void tenantsOfABucketAreBoundedHoweverOftenTheyChange() {
        ActivityBuckets buckets = new ActivityBuckets(nodes::incrementAndGet);
        for (int i = 0; i < 20; i++) {
            Map<ActivityCells.CellKey, ActivityCounts> counted = new HashMap<>();
            for (int j = 0; j < 1_000; j++) {
                counted.put(
                        new ActivityCells.CellKey("mail", "tenant " + i + " " + j), ActivityCounts.parse("accepted 1"));
            }
            buckets.add(START, counted);
        }
        assertThat(buckets.largest()).isLessThanOrEqualTo(2_001);
        assertThat(buckets.due(START, true))
                .filteredOn(row -> row.tenant().isEmpty())
                .extracting(row -> row.counts().of("accepted"))
                .containsExactly(20_000L, 20_000L, 20_000L);
    }

    @Test
    void countsOfManyThreadsAreAllThereWhileOthersAreWritten() throws Exception {
        ActivityRecorder node = node();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 4; i++) {
            String tenant = "tenant " + i;
            threads.execute(() -> send(node, tenant, 20_000));
        }
        threads.shutdown();
        while (!threads.awaitTermination(1, TimeUnit.MILLISECONDS)) {
            round(node);
        }
        node.flush(true);
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isEqualTo(80_000);
        assertThat(sum(ActivityStep.HOURS, "tenant 3", "accepted")).isEqualTo(20_000);
    }

    @Test
    void oldRowsAreRemoved() {
        ActivityRecorder node = node();
        send(node, "acme", 1);
        node.flush(true);
        time.advance(Duration.ofHours(3));
        for (int i = 0; i < 40; i++) {
            round(node);
        }
        assertThat(sum(ActivityStep.SECONDS, "", "accepted")).isZero();
        assertThat(sum(ActivityStep.MINUTES, "", "accepted")).isEqualTo(1);
        time.advance(Duration.ofDays(36));
        for (int i = 0; i < 400; i++) {
            round(node);
        }
        assertThat(sum(ActivityStep.MINUTES, "", "accepted")).isZero();
        assertThat(sum(ActivityStep.HOURS, "", "accepted")).isZero();
    }
}
