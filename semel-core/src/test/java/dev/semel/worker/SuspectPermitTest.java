package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SuspectPermitTest {
    private static final Duration TIME_OUT = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final AtomicInteger freed = new AtomicInteger();
    private final SuspectPermit permit = new SuspectPermit(time, freed::incrementAndGet);
    private boolean mailWaits = true;
    private boolean postWaits = true;
    private final SuspectPermit.SharingOperation mail = permit.join(() -> mailWaits, TIME_OUT);
    private final SuspectPermit.SharingOperation post = permit.join(() -> postWaits, TIME_OUT);

    @Test
    void oneRunAtATimeHasThePermit() {
        SuspectPermit.SoleRun run = mail.tryTake();
        assertThat(run).isNotNull();
        assertThat(post.tryTake()).isNull();
        assertThat(mail.tryTake()).isNull();
        run.giveBack();
        assertThat(freed).hasValue(1);
        assertThat(post.tryTake()).isNotNull();
    }

    @Test
    void operationsTakeTurnsWhileMoreThanOneWaits() {
        mail.tryTake().giveBack();
        assertThat(mail.mayTake()).as("the other one has waited longer").isFalse();
        assertThat(mail.tryTake()).isNull();
        post.tryTake().giveBack();
        assertThat(post.tryTake()).isNull();
        mail.tryTake().giveBack();
        postWaits = false;
        assertThat(mail.tryTake()).as("nobody else waits").isNotNull();
    }

    @Test
    void runWhoseTimeOutHasPassedHasThePermitNoLonger() {
        SuspectPermit.SoleRun slow = mail.tryTake();
        time.advance(TIME_OUT.minusNanos(1));
        assertThat(post.tryTake()).isNull();
        assertThat(permit.isFreeSoon()).isFalse();
        assertThat(slow.goesOn()).as("another suspect of the run begins").isTrue();
        time.advance(TIME_OUT.minusNanos(1));
        assertThat(post.tryTake()).isNull();
        time.advance(Duration.ofNanos(1));
        assertThat(permit.isFreeSoon()).isTrue();
        SuspectPermit.SoleRun next = post.tryTake();
        assertThat(next).isNotNull();
        assertThat(slow.goesOn()).isFalse();
        slow.giveBack();
        assertThat(mail.tryTake()).as("what was lost cannot be given back").isNull();
        next.giveBack();
        assertThat(mail.tryTake()).isNotNull();
    }
}
