package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupCommitterTest {
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final ConcurrentLinkedQueue<List<Integer>> batches = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    private GroupCommitter<Integer, String> committer(Function<List<Integer>, List<String>> port, int max, int lanes) {
        return new GroupCommitter<>(
                items -> {
                    batches.add(List.copyOf(items));
                    return port.apply(items);
                },
                item -> item % 1_000,
                max,
                lanes,
                TimeSource.system());
    }

    private static List<String> answered(List<Integer> items) {
        return items.stream().map(item -> "a" + item).toList();
    }

    @Test
    void idleCallIsABatchByItself() {
        assertThat(committer(GroupCommitterTest::answered, 8, 1).submit(7)).isEqualTo("a7");
        assertThat(batches).containsExactly(List.of(7));
    }

    @Test
    void callsThatArriveDuringABatchShareTheNextOne() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        GroupCommitter<Integer, String> committer = committer(
                items -> {
                    started.countDown();
                    await(release);
                    return answered(items);
                },
                100,
                1);
        List<Future<String>> futures = new ArrayList<>();
        futures.add(pool.submit(() -> committer.submit(0)));
        await(started);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            int item = i;
            threads.add(new Thread(() -> committer.submit(item)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            while (!EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState())) {
                Thread.onSpinWait();
            }
        }
        release.countDown();
        for (Thread thread : threads) {
            thread.join(120_000);
        }
        assertThat(futures.get(0).get(120, TimeUnit.SECONDS)).isEqualTo("a0");
        assertThat(batches).hasSize(2);
        assertThat(new ArrayList<>(batches).get(1))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, 20).boxed().toList());
    }

    @Test
    void everyCallerGetsItsOwnOutcomeAndNoBatchHoldsOneRecordTwice() throws Exception {
        GroupCommitter<Integer, String> committer = committer(GroupCommitterTest::answered, 16, 3);
        List<Future<Boolean>> futures = new ArrayList<>();
        for (int thread = 0; thread < 24; thread++) {
            int own = thread;
            futures.add(pool.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    // Every thread asks for the same few identities.
                    int item = own * 1_000 + i % 7;
                    if (!committer.submit(item).equals("a" + item)) {
                        return false;
                    }
                }
                return true;
            }));
        }
        for (Future<Boolean> future : futures) {
            assertThat(future.get(120, TimeUnit.SECONDS)).isTrue();
        }
        for (List<Integer> batch : batches) {
            Set<Integer> ids = new HashSet<>();
            assertThat(batch).hasSizeLessThanOrEqualTo(16).allMatch(item -> ids.add(item % 1_000));
        }
        assertThat(batches.stream().mapToInt(List::size).sum()).isEqualTo(24 * 300);
    }

    @Test
    void longListsAreCutAndAnsweredInOrder() {
        List<Integer> items = IntStream.range(0, 50).boxed().toList();
        assertThat(committer(GroupCommitterTest::answered, 16, 1).submitAll(items))
                .isEqualTo(answered(items));
        assertThat(batches).hasSize(4);
        assertThat(committer(GroupCommitterTest::answered, 16, 1).submitAll(List.of()))
                .isEmpty();
    }

    @Test
    void oneBadItemFailsAloneAndTheStoreBeingAwayFailsAll() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        GroupCommitter<Integer, String> committer = committer(
                items -> {
                    await(release);
                    if (items.contains(13)) {
                        throw new IllegalArgumentException("13");
                    }
                    if (items.contains(99)) {
                        throw new SemelException.StoreUnavailable("gone");
                    }
                    return answered(items);
                },
                100,
                1);
        List<Future<String>> futures = IntStream.of(1, 2, 13, 3)
                .mapToObj(item -> pool.submit(() -> committer.submit(item)))
                .toList();
        release.countDown();
        assertThat(futures.get(0).get(120, TimeUnit.SECONDS)).isEqualTo("a1");
        assertThat(futures.get(1).get(120, TimeUnit.SECONDS)).isEqualTo("a2");
        assertThat(futures.get(3).get(120, TimeUnit.SECONDS)).isEqualTo("a3");
        assertThatThrownBy(() -> futures.get(2).get(120, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> committer.submit(99)).isInstanceOf(SemelException.StoreUnavailable.class);
        assertThat(committer.submit(5)).isEqualTo("a5");
    }

    @Test
    @Timeout(300)
    void b8_errorWhileABatchIsGatheredFailsItsCallersAndKeepsTheLane() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicBoolean armed = new AtomicBoolean(true);
        GroupCommitter<Integer, String> committer = new GroupCommitter<>(
                items -> {
                    started.countDown();
                    await(release);
                    return answered(items);
                },
                item -> {
                    if (item == 3 && armed.getAndSet(false)) {
                        throw new OutOfMemoryError("simulated");
                    }
                    return item;
                },
                8,
                1,
                TimeSource.system());
        List<FutureTask<String>> calls = new ArrayList<>();
        for (int item = 0; item <= 3; item++) {
            int mine = item;
            FutureTask<String> call = new FutureTask<>(() -> committer.submit(mine));
            Thread thread = new Thread(call);
            thread.setDaemon(true);
            thread.start();
            started.await();
            while (!EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState())) {
                Thread.onSpinWait();
            }
            calls.add(call);
        }
        release.countDown();
        assertThat(calls.get(0).get(120, TimeUnit.SECONDS)).isEqualTo("a0");
        assertThatThrownBy(() -> calls.get(1).get(120, TimeUnit.SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> calls.get(2).get(120, TimeUnit.SECONDS)).hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(calls.get(3).get(120, TimeUnit.SECONDS)).isEqualTo("a3");
        assertThat(committer.submit(4)).isEqualTo("a4");
    }

    @Test
    void portThatAnswersTooLittleIsFoundOut() {
        GroupCommitter<Integer, String> committer = committer(items -> List.of(), 8, 1);
        assertThatThrownBy(() -> committer.submit(1)).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> committer.submit(2)).isInstanceOf(RuntimeException.class);
    }

    @Test
    void interruptDoesNotLoseTheOutcomeAndIsKept() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        GroupCommitter<Integer, String> committer = committer(
                items -> {
                    started.countDown();
                    await(release);
                    return answered(items);
                },
                100,
                1);
        Future<String> first = pool.submit(() -> committer.submit(1));
        await(started);
        boolean[] kept = new boolean[1];
        String[] outcome = new String[1];
        Thread waiting = new Thread(() -> {
            outcome[0] = committer.submit(2);
            kept[0] = Thread.currentThread().isInterrupted();
        });
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        waiting.interrupt();
        release.countDown();
        waiting.join(120_000);
        assertThat(first.get(120, TimeUnit.SECONDS)).isEqualTo("a1");
        assertThat(outcome[0]).isEqualTo("a2");
        assertThat(kept[0]).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a16_interruptOfTheLeaderDoesNotReachThePort() {
        GroupCommitter<Integer, String> committer = committer(
                items -> {
                    if (Thread.currentThread().isInterrupted()) {
                        throw new SemelException.StoreUnavailable("the pool fails on interrupted threads");
                    }
                    return answered(items);
                },
                8,
                1);
        Thread.currentThread().interrupt();
        assertThat(committer.submit(7)).isEqualTo("a7");
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    }

    @Test
    void a16_callThatAnInterruptMadeFailIsRepeatedForTheWholeBatch() {
        GroupCommitter<Integer, String> committer = committer(
                items -> {
                    if (batches.size() == 1) {
                        Thread.currentThread().interrupt();
                        throw new SemelException.StoreUnavailable("interrupted while it waited for a connection");
                    }
                    return answered(items);
                },
                8,
                1);
        assertThat(committer.submitAll(List.of(7, 8))).containsExactly("a7", "a8");
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(batches).containsExactly(List.of(7, 8), List.of(7, 8));
    }
}
