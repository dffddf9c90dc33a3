package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.jdbc.fault.FleetSenders.Way;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels on PostgreSQL when the server is killed, comes back after an outage, or has no connection left. */
@Timeout(600)
class FleetStoreTest {
    private static final int RETRIES = Boolean.getBoolean("semel.campaign") ? 100_000 : 2_000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void b2_aServerThatIsKilledUnderLoadLosesNothingAndTheOrderIsKept(String channel) throws Exception {
        judgedAfterCrashes(channel, FleetBug.NONE).assertHolds(Fleet.KEPT);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void b2_senderThatTakesALostServerForAnAcceptanceIsCaught() throws Exception {
        assertThat(judgedAfterCrashes("book", FleetBug.BELIEVES_IT_WAS_SENT).violations())
                .extracting(Violation::rule)
                .contains(Rule.R1);
    }

    /** Leased handlers call another server, which stays up. */
    private Judgement judgedAfterCrashes(String channel, FleetBug slip) throws Exception {
        try (PrivatePostgres server = PrivatePostgres.start()) {
            RunDatabases crashing = RunDatabases.postgres(server).withParameters(Fleet.IMPATIENT);
            RunDatabases place = channel.equals("call") ? crashing.withOutside(RunDatabases.postgres()) : crashing;
            try (Fleet fleet = new Fleet(place, directory, FleetMessage.channel(channel), slip)) {
                List<String> workers = List.of(fleet.start(), fleet.start());
                fleet.load().start();
                for (String worker : workers) {
                    fleet.awaitBegun(worker);
                }
                for (int kill = 1; kill <= 2; kill++) {
                    server.kill();
                    server.restart();
                    int accepted = fleet.load().accepted().size();
                    Await.until(
                            "100 more messages are accepted",
                            () -> fleet.load().accepted().size() >= accepted + 100);
                }
                fleet.load().stop();
                fleet.awaitEnds();
                Judgement judgement = fleet.judge();
                System.out.println("B2 " + channel + ": " + judgement.counts());
                return judgement;
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void c4_storeThatComesBackWithManyDueRetriesGetsARampAndNoStorm() throws Exception {
        assertThat(amountsAfterAnOutage(FleetBug.NONE)).matches(FleetStoreTest::isARamp);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void c4_workerThatStormsIsCaught() throws Exception {
        assertThat(amountsAfterAnOutage(FleetBug.STORMS)).matches(amounts -> !isARamp(amounts));
    }

    /** No claim asks for more than twice as much as the one before it, and the first for no more than can begin. */
    private static boolean isARamp(List<? extends Integer> amounts) {
        for (int i = 0; i < amounts.size(); i++) {
            if (amounts.get(i) > (long) FleetNode.HANDLERS << Math.min(i, 20)) {
                return false;
            }
        }
        return true;
    }

    /** The amounts of the claims, from the first successful one on. */
    private List<Integer> amountsAfterAnOutage(FleetBug slip) throws Exception {
        RunDatabases place = RunDatabases.postgres();
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger failed = new AtomicInteger();
        try (FaultProxy proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
                Fleet fleet = fleet(place);
                FleetNode carrier =
                        fleet.carrier(place.withParameters(Fleet.IMPATIENT).through(proxy.port()), slip, () -> {
                            if (down.get()) {
                                failed.incrementAndGet();
                                throw Failure.of(Failure.Category.UPSTREAM_ERROR, "down")
                                        .asException();
                            }
                        })) {
            fleet.load().send(Way.TOGETHER, FleetMessage.row("free", false, 1, RETRIES));
            Await.until("the retries have failed", () -> failed.get() >= RETRIES);
            // An impatient node may have failed before, on a machine that is slow.
            int before = carrier.claims().failures();
            proxy.partition();
            down.set(false);
            Await.until("a claim fails", () -> carrier.claims().failures() > before);
            carrier.claims().forgetAmounts();
            proxy.heal();
            fleet.awaitEnds();
            List<Integer> amounts = carrier.claims().amounts();
            assertThat(carrier.drain()).isTrue();
            fleet.judge().assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R7, Rule.R8, Rule.R9);
            return amounts;
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void b8_exhaustedPoolShedsWithAClearErrorAndLosesNothing() throws Exception {
        RunDatabases place = RunDatabases.postgres();
        Operation.Atomic<String, Void> holding = Operation.atomic("hold", String.class, Void.class);
        CountDownLatch release = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try (Fleet fleet = fleet(place.withParameters("poolSize=2&poolWaitMillis=250"));
                FleetNode carrier = fleet.carrier(place, () -> {})) {
            CountDownLatch held = new CountDownLatch(2);
            List<Future<Void>> all = new ArrayList<>();
            for (String key : List.of("one", "two")) {
                all.add(threads.submit(() -> fleet.semel()
                        .run(holding, Call.of(WorkKind.TENANT, Key.of(key), key), (payload, tx) -> {
                            held.countDown();
                            release.await();
                            return null;
                        })
                        .orThrow()));
            }
            assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(
                            () -> fleet.semel().send(FleetMessage.CALL, new FleetMessage("shed", false, 1).message()))
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining("pool large enough");
            for (int i = 0; i < 60; i++) {
                String row = "r" + i;
                all.add(threads.submit(() -> {
                    fleet.load().send(Way.ALONE, FleetMessage.row(row, true, 1, 1));
                    fleet.load().send(Way.IN_A_TRANSACTION, FleetMessage.row(row, true, 2, 5));
                    fleet.load().send(Way.ALONE, FleetMessage.row(row, true, 6, 6));
                    return null;
                }));
            }
            release.countDown();
            for (Future<Void> each : all) {
                each.get(120, TimeUnit.SECONDS);
            }
            assertThat(fleet.load().accepted()).hasSize(360);
            fleet.awaitEnds();
            assertThat(carrier.drain()).isTrue();
            fleet.judge().assertHolds(Fleet.KEPT);
        } finally {
            release.countDown();
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(strings = {"book", "call"})
    void b8_aNodeThatRunsOutOfMemorySaysSoAndLosesNothing(String channel) throws Exception {
        try (Fleet fleet =
                new Fleet(RunDatabases.postgres(), directory, FleetMessage.channel(channel), FleetBug.NONE)) {
            fleet.load().send(Way.TOGETHER, FleetMessage.row("lane", true, 1, 40));
            fleet.load().send(Way.TOGETHER, FleetMessage.row("free", false, 1, 40));
            fleet.start(FleetBug.HOARDS, List.of("-Xmx32m"));
            fleet.awaitEnds();
            fleet.judge().assertHolds(Fleet.KEPT);
            assertThat(fleet.failures()).contains("Java heap space");
        }
    }

    private Fleet fleet(RunDatabases place) throws Exception {
        return new Fleet(place, directory, FleetMessage.CALL, FleetBug.NONE);
    }
}
