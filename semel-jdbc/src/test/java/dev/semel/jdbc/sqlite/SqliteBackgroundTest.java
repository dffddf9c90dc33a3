package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Purges and the like: they leave the writer to callers, and come to an end all the same. */
@Timeout(300)
class SqliteBackgroundTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SleepingClock clock = new SleepingClock();

    @TempDir
    private Path directory;

    private SqliteStore store;
    private SqliteBackground background;

    @BeforeEach
    void open() {
        store = SqliteFixture.open(directory.resolve("semel.db"));
        background = new SqliteBackground(store.access(), clock);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
    }

    @Test
    void onAnIdleStoreThereIsNoPause() {
        for (int i = 0; i < 5; i++) {
            assertThat(background.<Boolean>write(db -> true)).isTrue();
        }
        assertThat(clock.sleeps.get()).isZero();
    }

    @Test
    void whileCallersComeAWriteIsFollowedByAPauseOfNineTimesItsLength() {
        clock.meanwhile = () -> store.access().write(db -> true);
        background.<Boolean>write(db -> clock.pass(Duration.ofMillis(10)));
        store.access().write(db -> true);
        clock.sleeps.set(0);
        background.<Boolean>write(db -> true);
        assertThat(clock.sleeps.get()).isEqualTo(90 / 2);
    }

    @Test
    void whileCallersComeItStillHasItsTurnAfterABoundedPause() {
        clock.meanwhile = () -> store.access().write(db -> true);
        background.<Boolean>write(db -> clock.pass(Duration.ofSeconds(10)));
        store.access().write(db -> true);
        clock.sleeps.set(0);
        assertThat(background.<Boolean>write(db -> true)).isTrue();
        assertThat(clock.sleeps.get()).isEqualTo(150 / 2);
    }

    @Test
    void pauseEndsWhenNoMoreCallersCome() {
        background.<Boolean>write(db -> clock.pass(Duration.ofSeconds(10)));
        store.access().write(db -> true);
        background.<Boolean>write(db -> true);
        assertThat(clock.sleeps.get()).isEqualTo(1);
    }

    @Test
    void holderOfTheWriterDoesNotPause() {
        store.access().write(db -> background.<Boolean>write(inner -> true));
        assertThat(clock.sleeps.get()).isZero();
    }

    @Test
    void interruptEndsThePauseButNotTheWriteAndIsKept() {
        background.<Boolean>write(db -> clock.pass(Duration.ofSeconds(10)));
        store.access().write(db -> true);
        clock.meanwhile = () -> {
            store.access().write(db -> true);
            Thread.currentThread().interrupt();
        };
        assertThat(background.<Boolean>write(db -> true)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(clock.sleeps.get()).isEqualTo(1);
    }

    @Test
    void callersWhoWaitForTheWriterGoFirst() throws Exception {
        background.<Boolean>write(db -> true);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Future<Boolean> holder = threads.submit(() -> store.access().writer().aside("holding the writer", () -> {
            inside.countDown();
            goOn.await();
            return true;
        }));
        inside.await();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Future<Boolean> caller = threads.submit(() -> store.access().write(db -> order.add("caller")));
        while (store.access().writer().queued() == 0) {
            Thread.onSpinWait();
        }
        clock.atSleep(3, goOn::countDown);
        background.<Boolean>write(db -> order.add("purge"));
        assertThat(caller.get(120, TimeUnit.SECONDS)).isTrue();
        assertThat(order).containsExactly("caller", "purge");
        assertThat(holder.get(120, TimeUnit.SECONDS)).isTrue();
    }

    /** Time passes by sleeping; meanwhile callers come, if a test says so. */
    private static final class SleepingClock implements TimeSource {
        private final AtomicLong now = new AtomicLong();
        private final AtomicInteger sleeps = new AtomicInteger();
        private Runnable meanwhile = () -> {};

        boolean pass(Duration duration) {
            now.addAndGet(duration.toNanos());
            return true;
        }

        void atSleep(int number, Runnable action) {
            meanwhile = () -> {
                if (sleeps.get() == number) {
                    action.run();
                }
            };
        }

        @Override
        public long millis() {
            return TimeUnit.NANOSECONDS.toMillis(now.get());
        }

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            sleeps.incrementAndGet();
            pass(duration);
            meanwhile.run();
        }

        @Override
        public Gate gate() {
            return TimeSource.system().gate();
        }
    }
}
