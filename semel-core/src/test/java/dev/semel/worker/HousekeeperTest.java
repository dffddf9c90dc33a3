package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import dev.semel.worker.Housekeeper.Duty;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HousekeeperTest {
    @Test
    void dutiesAreRepeatedAlsoAfterOneFailed() throws Exception {
        CountDownLatch rounds = new CountDownLatch(3);
        AtomicInteger failures = new AtomicInteger();
        Duty failing = Duty.every(Duration.ofMillis(1), "fails", () -> {
            failures.incrementAndGet();
            throw new IllegalStateException("the store is away");
        });
        Duty counting = Duty.every(Duration.ofMillis(1), "counts", rounds::countDown);
        try (Housekeeper housekeeper = new Housekeeper("test", TimeSource.system(), List.of(failing, counting))) {
            housekeeper.start();
            assertThat(rounds.await(120, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(failures.get()).isPositive();
    }

    @Test
    void wakeMakesEveryDutyDue() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(2);
        Duty rare = Duty.every(Duration.ofDays(1), "rare", () -> {
            first.countDown();
            second.countDown();
        });
        try (Housekeeper housekeeper = new Housekeeper("test", TimeSource.system(), List.of(rare))) {
            housekeeper.start();
            assertThat(first.await(120, TimeUnit.SECONDS)).isTrue();
            housekeeper.wake();
            assertThat(second.await(120, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void wakeDuringADutyMakesItDueAgain() throws Exception {
        CountDownLatch twice = new CountDownLatch(2);
        Housekeeper[] own = new Housekeeper[1];
        Duty rare = Duty.every(Duration.ofDays(1), "rare", () -> {
            twice.countDown();
            if (twice.getCount() == 1) {
                own[0].wake();
            }
        });
        try (Housekeeper housekeeper = new Housekeeper("test", TimeSource.system(), List.of(rare))) {
            own[0] = housekeeper;
            housekeeper.start();
            assertThat(twice.await(120, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void dutyThatTakesLongerThanItsPaceIsPausedForItsPaceFromItsEnd() throws Exception {
        ManualTime time = new ManualTime(0);
        List<Long> begins = new CopyOnWriteArrayList<>();
        CountDownLatch rounds = new CountDownLatch(5);
        Duty slow = Duty.every(Duration.ofSeconds(1), "slow", () -> {
            begins.add(TimeUnit.NANOSECONDS.toSeconds(time.nanos()));
            time.advance(Duration.ofSeconds(3));
            rounds.countDown();
        });
        try (Housekeeper housekeeper = new Housekeeper("test", time, List.of(slow))) {
            housekeeper.start();
            assertThat(rounds.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(begins.subList(0, 5))
                .as("the first slow one may be a clock that was moved")
                .containsExactly(0L, 3L, 7L, 11L, 15L);
    }

    @Test
    void clockThatIsMovedDuringADutyAndThenStandsStillIsNoticedByTheNextRound() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        TimeSource time = TimeSource.of(now::get);
        CountDownLatch noticed = new CountDownLatch(1);
        Duty looking = Duty.every(Duration.ofSeconds(1), "looking", () -> {
            if (now.get().equals(Instant.EPOCH)) {
                now.set(Instant.EPOCH.plusSeconds(60));
            } else {
                noticed.countDown();
            }
        });
        try (Housekeeper housekeeper = new Housekeeper("test", time, List.of(looking))) {
            housekeeper.start();
            assertThat(noticed.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void takeoversRunOnAtMostSixteenThreadsOrOnTheSweepersThread() throws Exception {
        try (Takeovers takeovers = new Takeovers(false)) {
            Thread[] ran = new Thread[1];
            takeovers.execute(() -> ran[0] = Thread.currentThread());
            assertThat(ran[0]).isSameAs(Thread.currentThread());
        }
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        try (Takeovers takeovers = new Takeovers(true)) {
            takeovers.execute(() -> {
                failed.countDown();
                throw new IllegalStateException("lost");
            });
            assertThat(failed.await(120, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 40; i++) {
                takeovers.execute(() -> {
                    started.incrementAndGet();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            assertThat(started.get()).isLessThanOrEqualTo(16);
            release.countDown();
        }
    }
}
