package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.jdbc.fault.Load.Way;
import dev.semel.store.State;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels on PostgreSQL when workers, the server, the network and the pool fail, each at a chosen moment. */
@Timeout(600)
class FleetFaultTest {
    private static final int RETRIES = 2_000;
    private static final String IMPATIENT = "socketTimeout=5&connectTimeout=2&poolWaitMillis=1000";
    private static final Rule[] KEPT = {Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9, Rule.R10};

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"book", "call"})
    void d12_whatAWorkerHeldThatWasKilledBetweenEffectAndFinishComesBackAfterItsLease(String channel) throws Exception {
        try (Fleet fleet = fleet(Place.postgres(), channel)) {
            fleet.load().send(Way.TOGETHER, parcels("lane", true, 1, 20));
            fleet.load().send(Way.TOGETHER, parcels("free", false, 1, 20));
            String victim = fleet.start(Slip.STOPS_AFTER_THE_EFFECT);
            fleet.awaitBegun(victim);
            fleet.awaitBegun(victim);
            fleet.kill(victim);
            long held = fleet.count(State.IN_PROGRESS);
            assertThat(held).isPositive();
            fleet.start();
            fleet.awaitEnds();
            Judgement judgement = fleet.judge();
            judgement.assertHolds(KEPT);
            assertThat(fleet.takenOver()).isGreaterThanOrEqualTo(held);
            assertThat(judgement.counts().applied()).isEqualTo(40);
            if (channel.equals("call")) {
                assertThat(judgement.counts().repeated()).isPositive();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"book", "call"})
    void d2_aLowerRowThatCommitsLaterIsNotSkipped(String channel) throws Exception {
        Place place = Place.postgres();
        try (Fleet fleet = fleet(place, channel);
                Carrier carrier = fleet.carrier(place, () -> {});
                Connection connection = place.connect()) {
            connection.setAutoCommit(false);
            Parcel late = new Parcel("lane", true, 100);
            Parcel lateAndFree = new Parcel("free", false, 100);
            try (Semel.Joined joined = fleet.semel().join(connection)) {
                joined.send(Parcel.channel(channel), late.message());
                joined.send(Parcel.channel(channel), lateAndFree.message());
                fleet.load().send(Way.TOGETHER, parcels("lane", true, 1, 20));
                fleet.load().send(Way.IN_A_TRANSACTION, parcels("free", false, 1, 20));
                fleet.awaitEnds();
                assertThat(fleet.count(State.COMPLETED)).isEqualTo(40);
                connection.commit();
                joined.committed();
            }
            fleet.load().send(Way.TOGETHER, List.of(late, lateAndFree));
            fleet.load().send(Way.TOGETHER, parcels("lane", true, 101, 110));
            fleet.awaitEnds();
            assertThat(carrier.drain()).isTrue();
            Judgement judgement = fleet.judge();
            judgement.assertHolds(KEPT);
            assertThat(judgement.counts().applied()).isEqualTo(52);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"book", "call"})
    void b10_aWorkerThatIsAskedToEndUnderLoadDrainsAndHandsBackWhatItHeld(String channel) throws Exception {
        try (Fleet fleet = fleet(Place.postgres(), channel)) {
            fleet.load().start();
            String worker = fleet.start();
            fleet.awaitBegun(worker);
            int exit = fleet.terminate(worker);
            fleet.load().stop();
            assertThat(exit).isZero();
            assertThat(fleet.count(State.IN_PROGRESS)).isZero();
            fleet.start();
            fleet.awaitEnds();
            fleet.judge().assertHolds(KEPT);
        }
    }

    @Test
    void c2_aWorkerThatWasCutOffForThreeLeasesIsRefusedAndOthersDidItsWork() throws Exception {
        Place place = Place.postgres();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch healed = new CountDownLatch(1);
        try (FaultProxy proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
                Fleet fleet = fleet(place, "call");
                Carrier cutOff = fleet.carrier(place.withParameters(IMPATIENT).through(proxy.port()), () -> {
                    begun.countDown();
                    awaitUninterruptibly(healed);
                });
                Carrier other = fleet.carrier(place, () -> awaitUninterruptibly(begun))) {
            fleet.load().send(Way.TOGETHER, parcels("lane", true, 1, 20));
            fleet.load().send(Way.TOGETHER, parcels("free", false, 1, 20));
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            proxy.partition();
            long end = System.nanoTime() + Parcel.LEASE.multipliedBy(3).toNanos();
            fleet.awaitEnds();
            assertThat(fleet.count(State.COMPLETED)).isEqualTo(40);
            Thread.sleep(Math.max(0, (end - System.nanoTime()) / 1_000_000));
            proxy.heal();
            healed.countDown();
            assertThat(cutOff.drain()).isTrue();
            assertThat(other.drain()).isTrue();
            Judgement judgement = fleet.judge();
            judgement.assertHolds(KEPT);
            assertThat(fleet.takenOver()).isPositive();
            assertThat(judgement.counts().refused()).isPositive();
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

    @Test
    void b2_aServerThatIsKilledUnderLoadLosesNothingAndTheOrderIsKept() throws Exception {
        try (PrivatePostgres server = PrivatePostgres.start();
                Fleet fleet = fleet(Place.postgres(server).withParameters(IMPATIENT), "book")) {
            List<String> workers = List.of(fleet.start(), fleet.start());
            fleet.load().start();
            for (String worker : workers) {
                fleet.awaitBegun(worker);
            }
            for (int kill = 1; kill <= 2; kill++) {
                server.kill();
                server.restart();
                int accepted = fleet.load().accepted().size();
                await(() -> fleet.load().accepted().size() >= accepted + 100);
            }
            fleet.load().stop();
            fleet.awaitEnds();
            Judgement judgement = fleet.judge();
            System.out.println("B2: " + judgement.counts());
            judgement.assertHolds(KEPT);
        }
    }

    @Test
    void c4_aStoreThatComesBackWithManyDueRetriesMeetsARampAndNoStorm() throws Exception {
        Place place = Place.postgres();
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger failed = new AtomicInteger();
        try (FaultProxy proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
                Fleet fleet = fleet(place, "call");
                Carrier carrier = fleet.carrier(place.withParameters(IMPATIENT).through(proxy.port()), () -> {
                    if (down.get()) {
                        failed.incrementAndGet();
                        throw Failure.of(Failure.Category.UPSTREAM_ERROR, "down")
                                .asException();
                    }
                })) {
            fleet.load().send(Way.TOGETHER, parcels("free", false, 1, RETRIES));
            await(() -> failed.get() >= RETRIES);
            proxy.partition();
            down.set(false);
            await(() -> carrier.claims().failures() > 0);
            proxy.heal();
            fleet.awaitEnds();
            List<Integer> amounts = carrier.claims().amounts();
            for (int i = 0; i < amounts.size(); i++) {
                long most = (long) Carrier.HANDLERS << Math.min(i, 20);
                assertThat(amounts.get(i).longValue()).as(amounts.toString()).isLessThanOrEqualTo(most);
            }
            assertThat(carrier.drain()).isTrue();
            fleet.judge().assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R7, Rule.R8, Rule.R9);
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - end).as("the bound").isNegative();
            Thread.sleep(10);
        }
    }

    @Test
    void b8_anExhaustedPoolShedsWithAClearErrorAndLosesNothing() throws Exception {
        Place place = Place.postgres();
        Operation.Atomic<String, Void> holding = Operation.atomic("hold", String.class, Void.class);
        CountDownLatch release = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try (Fleet fleet = fleet(place.withParameters("poolSize=2&poolWaitMillis=250"), "call");
                Carrier carrier = fleet.carrier(place, () -> {})) {
            CountDownLatch held = new CountDownLatch(2);
            List<Future<Void>> all = new ArrayList<>();
            for (String key : List.of("one", "two")) {
                all.add(threads.submit(() -> fleet.semel()
                        .run(holding, Call.of(Work.TENANT, Key.of(key), key), (payload, tx) -> {
                            held.countDown();
                            release.await();
                            return null;
                        })
                        .orThrow()));
            }
            assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> fleet.semel().send(Parcel.CALL, new Parcel("shed", false, 1).message()))
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining("pool large enough");
            for (int i = 0; i < 60; i++) {
                String row = "r" + i;
                all.add(threads.submit(() -> {
                    fleet.load().send(Way.ALONE, parcels(row, true, 1, 1));
                    fleet.load().send(Way.IN_A_TRANSACTION, parcels(row, true, 2, 5));
                    fleet.load().send(Way.ALONE, parcels(row, true, 6, 6));
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
            fleet.judge().assertHolds(KEPT);
        } finally {
            release.countDown();
            threads.shutdownNow();
        }
    }

    private Fleet fleet(Place place, String channel) throws Exception {
        return new Fleet(place, directory, Parcel.channel(channel), Slip.NONE);
    }

    private static List<Parcel> parcels(String row, boolean ordered, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(number -> new Parcel(row, ordered, number))
                .toList();
    }
}
