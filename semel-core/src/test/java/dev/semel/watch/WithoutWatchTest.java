package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.semel.Answer;
import dev.semel.store.WatchedStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Without a watch a call pays nothing for being watchable. */
class WithoutWatchTest extends WatchFixture {
    private static final int CALLS = 100_000;

    /** A clock that fails when it is read. */
    private static final class ForbiddenTime implements TimeSource {
        @Override
        public long millis() {
            throw new AssertionError("the clock was read");
        }

        @Override
        public long nanos() {
            throw new AssertionError("the clock was read");
        }

        @Override
        public void sleep(Duration duration) {
            throw new AssertionError("the clock was asked to sleep");
        }

        @Override
        public Gate gate() {
            return new ManualTime(0).gate();
        }
    }

    private static void follow(TimeSource clock, Answer<String> answer) {
        Span span = Span.begin(Watch.NONE, clock, "charge", "acme");
        span.under(7);
        span.kept(1_000);
        span.enter(1);
        span.leave();
        span.ended(answer);
    }

    @Test
    void noClockIsReadAndNothingIsAllocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        TimeSource clock = new ForbiddenTime();
        Answer<String> answer = new Answer.Executed<>("done", "c");
        long self = Thread.currentThread().getId();
        follow(clock, answer);
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 0; i < CALLS; i++) {
            follow(clock, answer);
        }
        // Asking costs a few bytes itself; one object for each call would be more than a million.
        assertThat(threads.getThreadAllocatedBytes(self) - before).isLessThan(CALLS);
    }

    @Test
    void storeIsNotWrapped() {
        assertThat(WatchedStore.of(store, Watch.NONE, time)).isSameAs(store);
        assertThat(WatchedStore.of(store, MicrometerWatch.of(meters), time)).isNotSameAs(store);
    }

    @Test
    void backlogIsNotLookedAt() {
        assertThat(start(Watch.NONE).duties().backlogs().isWatched()).isFalse();
        assertThat(start(MicrometerWatch.of(meters)).duties().backlogs().isWatched())
                .isTrue();
    }
}
