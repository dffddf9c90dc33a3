package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.jdbc.fault.FleetSenders.Way;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels on PostgreSQL when workers are killed, asked to end or cut off, each at a chosen moment. */
@Timeout(600)
class FleetFaultTest {
    private static final int EACH = 20;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void d12_whatAWorkerHeldThatWasKilledBetweenEffectAndFinishComesBackAfterItsLease(String channel) throws Exception {
        Judgement judgement = judgedAfterAKill(channel, FleetBug.STOPS_AFTER_THE_EFFECT, FleetBug.NONE);
        judgement.assertHolds(Fleet.KEPT);
        assertThat(judgement.counts().applied()).isEqualTo(2 * EACH);
        assertThat(judgement.counts().repeated() > 0).isEqualTo(channel.equals("call"));
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"book, COMMITS_THE_EFFECT_ALONE, NONE", "call, STOPS_AFTER_THE_EFFECT, IS_RECEIVED_BLINDLY"})
    void d12_anEffectThatIsThereTwiceAfterAKillIsCaught(String channel, FleetBug victim, FleetBug heir)
            throws Exception {
        assertThat(judgedAfterAKill(channel, victim, heir).violations())
                .extracting(Violation::rule)
                .contains(Rule.R2);
    }

    private Judgement judgedAfterAKill(String channel, FleetBug victim, FleetBug heir) throws Exception {
        try (Fleet fleet = fleet(RunDatabases.postgres(), channel)) {
            sendSome(fleet);
            String first = fleet.start(victim);
            fleet.awaitBegun(first);
            fleet.awaitBegun(first);
            fleet.kill(first);
            long held = fleet.count(State.IN_PROGRESS);
            assertThat(held).isPositive();
            fleet.start(heir);
            fleet.awaitEnds();
            Judgement judgement = fleet.judge();
            assertThat(fleet.takenOver()).isGreaterThanOrEqualTo(held);
            return judgement;
        }
    }

    private static void sendSome(Fleet fleet) throws InterruptedException {
        fleet.load().send(Way.TOGETHER, FleetMessage.row("lane", true, 1, EACH));
        fleet.load().send(Way.TOGETHER, FleetMessage.row("free", false, 1, EACH));
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void d2_aLowerRowThatCommitsLaterIsNotSkipped(String channel) throws Exception {
        Judgement judgement = judgedAfterALateCommit(channel, FleetBug.NONE, Fleet.BOUND);
        judgement.assertHolds(Fleet.KEPT);
        assertThat(judgement.counts().applied()).isEqualTo(3 * EACH + 2);
    }

    /** The bound is short, but what is never handled is late for any. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void d2_workerThatReadsByACursorIsCaught() throws Exception {
        assertThat(judgedAfterALateCommit("call", FleetBug.SKIPS_WHAT_COMES_LATE, Duration.ofSeconds(2))
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.R7);
    }

    private Judgement judgedAfterALateCommit(String channel, FleetBug slip, Duration bound) throws Exception {
        RunDatabases place = RunDatabases.postgres();
        try (Fleet fleet = fleet(place, channel);
                FleetNode carrier = fleet.carrier(place, slip, () -> {});
                Connection connection = place.connect()) {
            connection.setAutoCommit(false);
            FleetMessage late = new FleetMessage("lane", true, 100);
            FleetMessage lateAndFree = new FleetMessage("free", false, 100);
            try (Semel.Joined joined = fleet.semel().join(connection)) {
                joined.send(FleetMessage.channel(channel), late.message());
                joined.send(FleetMessage.channel(channel), lateAndFree.message());
                sendSome(fleet);
                fleet.awaitEnds();
                assertThat(fleet.count(State.COMPLETED)).isEqualTo(2 * EACH);
                int empty = carrier.claims().empty();
                Await.until("a claim finds nothing", () -> carrier.claims().empty() > empty);
                connection.commit();
                joined.committed();
            }
            fleet.load().send(Way.TOGETHER, List.of(late, lateAndFree));
            fleet.load().send(Way.TOGETHER, FleetMessage.row("lane", true, 101, 100 + EACH));
            fleet.awaitEnds(bound);
            assertThat(carrier.drain()).isTrue();
            return fleet.judge();
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void b10_aWorkerThatIsAskedToEndUnderLoadDrainsAndHandsBackWhatItHeld(String channel) throws Exception {
        try (Fleet fleet = fleet(RunDatabases.postgres(), channel)) {
            String worker = fleet.start();
            fleet.load().start();
            fleet.awaitBegun(worker);
            int exit = fleet.terminate(worker);
            fleet.load().stop();
            assertThat(exit).isZero();
            assertThat(fleet.count(State.IN_PROGRESS)).isZero();
            fleet.start();
            fleet.awaitEnds();
            fleet.judge().assertHolds(Fleet.KEPT);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void b10_workerThatEndsWithItsRunningMessagesIsCaught() throws Exception {
        try (Fleet fleet = fleet(RunDatabases.postgres(), "call")) {
            sendSome(fleet);
            String worker = fleet.start(FleetBug.ENDS_AT_ONCE);
            fleet.awaitBegun(worker);
            assertThat(fleet.terminate(worker)).isZero();
            assertThat(fleet.count(State.IN_PROGRESS)).isPositive();
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void c2_aWorkerThatWasCutOffForThreeLeasesIsRefusedAndOthersDidItsWork(String channel) throws Exception {
        Judgement judgement = judgedAfterAPartition(channel, FleetBug.NONE);
        judgement.assertHolds(Fleet.KEPT);
        assertThat(judgement.counts().applied()).isEqualTo(2 * EACH);
        assertThat(judgement.counts().refused() > 0).isEqualTo(channel.equals("call"));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void c2_receiverThatTakesAnOldFenceIsCaught() throws Exception {
        assertThat(judgedAfterAPartition("call", FleetBug.IS_RECEIVED_BLINDLY).violations())
                .extracting(Violation::rule)
                .contains(Rule.R4);
    }

    private Judgement judgedAfterAPartition(String channel, FleetBug slip) throws Exception {
        RunDatabases place = RunDatabases.postgres();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch healed = new CountDownLatch(1);
        try (FaultProxy proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
                Fleet fleet = fleet(place, channel);
                FleetNode cutOff =
                        fleet.carrier(place.withParameters(Fleet.IMPATIENT).through(proxy.port()), slip, () -> {
                            begun.countDown();
                            awaitUninterruptibly(healed);
                        });
                FleetNode other = fleet.carrier(place, () -> awaitUninterruptibly(begun))) {
            sendSome(fleet);
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            proxy.partition();
            long end = System.nanoTime() + FleetMessage.LEASE.multipliedBy(3).toNanos();
            fleet.awaitEnds();
            assertThat(fleet.count(State.COMPLETED)).isEqualTo(2 * EACH);
            // Sleeps because the length of the partition is under test: it must outlast the leases of the node that is
            // cut off.
            Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
            proxy.heal();
            healed.countDown();
            assertThat(cutOff.drain()).isTrue();
            assertThat(other.drain()).isTrue();
            assertThat(fleet.takenOver()).isPositive();
            return fleet.judge();
        } finally {
            healed.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Fleet fleet(RunDatabases place, String channel) throws Exception {
        return new Fleet(place, directory, FleetMessage.channel(channel), FleetBug.NONE);
    }
}
