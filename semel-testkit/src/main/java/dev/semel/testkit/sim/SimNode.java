package dev.semel.testkit.sim;

import dev.semel.Policy;
import dev.semel.engine.Duties;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.RecordId;
import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A machine with an engine on it, which may die and be started again. */
final class SimNode implements Faults {
    private static final Duration RESTART = Duration.ofSeconds(2);

    final String name;
    final SimTime time;
    private final Scheduler scheduler;
    private final FaultRates weather;
    private NodeLifetime life = new NodeLifetime();
    private @Nullable Engine engine;
    private SimTime.Gate work;
    private int running;
    private long backAt;

    SimNode(String name, Scheduler scheduler, FaultRates weather) {
        this.name = name;
        this.scheduler = scheduler;
        this.weather = weather;
        this.time = new SimTime(scheduler);
        this.work = time.gate();
    }

    /**
     * What a start needs.
     *
     * @param work whether a round of the worker may find something; absent when there are no messages in this run
     */
    record Setup(
            Store shared,
            StoreUnderTest plant,
            Observer observer,
            List<Policy> policies,
            int cached,
            @Nullable BooleanSupplier work) {}

    /** Starts an engine here; its duties become actors. */
    Engine start(Setup setup) {
        life = new NodeLifetime();
        running = 0;
        Store seen = setup.observer().watching(setup.plant().beneath(setup.shared(), time));
        Store remote = setup.plant().above(new FaultyStore(seen, this), time);
        EngineSettings settings = EngineSettings.on(remote)
                .withTime(time)
                .withRandom(new Random(scheduler.random.nextLong()))
                .withWindowsMadeUpFor(ProviderTraffic.MADE_UP_FOR)
                .withoutBackground();
        setup.policies().forEach(settings::withPolicy);
        if (setup.cached() > 0) {
            settings.withLocalCache(setup.cached());
        }
        Engine started = settings.open();
        engine = started;
        Duties duties = started.duties();
        scheduler.spawn(name + "-leases", life, () -> keepLeases(duties));
        scheduler.spawn(name + "-house", life, () -> keepHouse(duties));
        BooleanSupplier any = setup.work();
        if (any != null) {
            scheduler.spawn(name + "-worker", life, () -> work(duties, any));
        }
        return started;
    }

    NodeLifetime life() {
        return life;
    }

    boolean down() {
        return life.over;
    }

    boolean mayRestart() {
        return life.over && scheduler.nanos() >= backAt;
    }

    Engine engine() {
        return java.util.Objects.requireNonNull(engine);
    }

    void crash() {
        scheduler.trace.add(scheduler.nanos(), name, "dies");
        life.over = true;
        backAt = scheduler.nanos() + RESTART.toNanos();
    }

    /** A handler begins: the keeper of leases has something to do. */
    void entered() {
        running++;
        work.open();
    }

    void left() {
        running--;
    }

    private void keepLeases(Duties duties) {
        while (true) {
            try {
                if (running == 0) {
                    work = time.gate();
                    work.await();
                }
                Duration next = failing(duties.keeper()::tick);
                time.sleep(next.isZero() ? Duration.ofMillis(1) : next);
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody interrupts the keeper of leases.", e);
            }
        }
    }

    /** Claims and handles, in rounds. */
    private void work(Duties duties, BooleanSupplier any) {
        while (true) {
            try {
                time.sleep(Duration.ofMillis(200 + scheduler.random.nextInt(2_400)));
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody interrupts the worker.", e);
            }
            if (any.getAsBoolean()) {
                failing(() -> {
                    duties.worker().turn();
                    return Duration.ZERO;
                });
            }
        }
    }

    private void keepHouse(Duties duties) {
        long purgeAt = scheduler.nanos() + Duration.ofSeconds(10).toNanos();
        while (true) {
            try {
                time.sleep(Duration.ofMillis(500 + scheduler.random.nextInt(3_000)));
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody interrupts the housekeeper.", e);
            }
            failing(() -> sweep(duties));
            failing(() -> reconcile(duties));
            boolean tidy = scheduler.nanos() >= purgeAt;
            if (tidy) {
                purgeAt = scheduler.nanos() + Duration.ofSeconds(10).toNanos();
                failing(() -> tidy(duties));
            }
        }
    }

    private static Duration sweep(Duties duties) {
        duties.sweeper().sweep();
        return Duration.ZERO;
    }

    private static Duration reconcile(Duties duties) {
        duties.reconciliation().reconcile();
        return Duration.ZERO;
    }

    static Duration tidy(Duties duties) {
        duties.replays().flush(false);
        duties.sealer().sealAll();
        duties.purger().purge();
        return Duration.ZERO;
    }

    /** Like the engine's own housekeeper: a failed duty runs again. */
    static Duration failing(java.util.function.Supplier<Duration> duty) {
        try {
            return duty.get();
        } catch (RuntimeException e) {
            return Duration.ofSeconds(1);
        }
    }

    @Override
    public Fault at(StoreCall call) {
        disturb();
        Fault fault = scheduler.current().life == life ? weather.fault(call) : Fault.NONE;
        scheduler.trace.add(
                scheduler.nanos(), scheduler.current().name, fault == Fault.NONE ? call.name() : call + " " + fault);
        return fault;
    }

    @Override
    public boolean locks(StoreCall call, RecordId record) {
        boolean locked = scheduler.current().life == life && weather.locks(record, scheduler.nanos());
        if (locked) {
            scheduler.trace.add(scheduler.nanos(), scheduler.current().name, call + " finds a record locked");
        }
        return locked;
    }

    @Override
    public boolean refuses(StoreCall call, RecordId record) {
        boolean refused = scheduler.current().life == life && weather.refuses(call, record);
        if (refused) {
            scheduler.trace.add(scheduler.nanos(), scheduler.current().name, call + " REFUSES " + record);
        }
        return refused;
    }

    @Override
    public void done(StoreCall call) {
        disturb();
        if (call == StoreCall.OVERDUE) {
            linger();
        }
    }

    /** A record has often changed between a sweeper's read and its action: a late owner ends its run meanwhile. */
    private void linger() {
        long pause = scheduler.current().life == life ? weather.lingering() : 0;
        if (pause > 0) {
            scheduler.await(pause, null, false);
            scheduler.alive();
        }
    }

    /** A point at which a crash, a pause or a fault may happen to the actor. */
    void disturb() {
        scheduler.alive();
        if (scheduler.current().life != life) {
            return;
        }
        if (weather.crash()) {
            crash();
        }
        long pause = weather.pause();
        if (pause > 0 && weather.wholeNode()) {
            life.pausedUntil = Math.max(life.pausedUntil, scheduler.nanos() + pause);
        } else if (pause > 0) {
            scheduler.await(pause, null, false);
        }
        scheduler.point();
    }
}
