package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Ledger;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.time.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The shared base of the contract's suites: a fresh store, a manual clock, and a few assertions. */
abstract class ContractSuite {
    static final long START = 1_800_000_000_000L;
    static final int THREADS = 16;
    private static final long BOUND_SECONDS = 120;

    final StoreContract contract;
    final ManualTime time = new ManualTime(START);
    final ExecutorService threads = Executors.newCachedThreadPool();
    Store store;
    Ledger ledger;
    AuditLog audit;
    Switchboard board;

    @SuppressWarnings("NullAway.Init")
    ContractSuite(StoreContract contract) {
        this.contract = contract;
    }

    @BeforeEach
    void openStore() {
        store = contract.open(time);
        ledger = store.ledger();
        audit = store.audit();
        board = store.switchboard();
    }

    @AfterEach
    void closeStore() {
        threads.shutdownNow();
        store.close();
    }

    void pass(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    long now() {
        return time.millis();
    }

    Reserved reserve(ReservationBuilder ask) {
        List<Reserved> answers = ledger.reserve(board.modes().version(), List.of(ask.reservation()));
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    Reserved.Granted grant(ReservationBuilder ask) {
        return granted(reserve(ask));
    }

    Reserved.Granted grant(String key) {
        return grant(ReservationBuilder.of(key));
    }

    static Reserved.Granted granted(Reserved answer) {
        assertThat(answer).isInstanceOf(Reserved.Granted.class);
        return (Reserved.Granted) answer;
    }

    static Reserved.Existing existing(Reserved answer) {
        assertThat(answer).isInstanceOf(Reserved.Existing.class);
        return (Reserved.Existing) answer;
    }

    Moved move(MoveBuilder shift) {
        List<Moved> answers = ledger.move(List.of(shift.move()));
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    void apply(MoveBuilder shift) {
        assertThat(move(shift)).isEqualTo(new Moved.Applied());
    }

    /** Makes a record in this state and returns its fence. */
    long put(String key, State state, long delay, long keep) {
        long fence = grant(ReservationBuilder.of(key)
                        .leasedFor(state == State.IN_PROGRESS ? delay : ReservationBuilder.LEASE))
                .fence();
        if (state != State.IN_PROGRESS) {
            apply(MoveBuilder.of(ReservationBuilder.id(key), fence, state)
                    .in(delay)
                    .keptFor(keep)
                    .result(state == State.COMPLETED ? bytes("result") : null));
        }
        return fence;
    }

    Row row(RecordId id) {
        Row row = ledger.find(List.of(id)).get(id);
        assertThat(row).as("the record %s", id).isNotNull();
        return row;
    }

    Row row(String key) {
        return row(ReservationBuilder.id(key));
    }

    Status status(String key) {
        return row(key).status();
    }

    boolean exists(String key) {
        return ledger.find(Set.of(ReservationBuilder.id(key))).get(ReservationBuilder.id(key)) != null;
    }

    /** The types of the events about a record, oldest first. */
    List<Integer> events(String key) {
        List<Integer> types = new ArrayList<>();
        for (AuditRow row : audit.newest(AuditFilter.of(ReservationBuilder.id(key)), 1_000)) {
            types.add(0, row.entry().type());
        }
        return types;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Runs one task on each of many threads at the same moment. */
    <T> List<T> atOnce(int count, Task<T> task) throws Exception {
        CountDownLatch ready = new CountDownLatch(count);
        List<Future<T>> futures = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            futures.add(threads.submit(() -> {
                ready.countDown();
                ready.await();
                return task.run(number);
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get(BOUND_SECONDS, TimeUnit.SECONDS));
        }
        return results;
    }

    /** Runs a task on another thread and waits for it. */
    <T> T elsewhere(Callable<T> task) throws Exception {
        return threads.submit(task).get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @FunctionalInterface
    interface Task<T> {
        T run(int number) throws Exception;
    }
}
