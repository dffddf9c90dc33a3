package dev.semel.testkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Hands the turn to one actor at a time.
 *
 * <h2>How it works</h2>
 *
 * <p>Actors are real threads; all but one are parked. At each scheduling point (a store call, a pause, a gate) the
 * actor that has the turn chooses the next one by the seeded random numbers, and hands over. Time is a number: it
 * moves only when no actor can continue, and then to the earliest moment at which one can. So nothing in a run
 * depends on the machine, and a seed decides all of it.
 *
 * <p>When a node dies its actors are given the turn before anybody else, one after the other, and unwind: locks of
 * transactions are released as a database would, and nothing they do on the way has an effect.
 */
final class Scheduler {
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(run -> {
        Thread thread = new Thread(run, "semel-simulation");
        thread.setDaemon(true);
        return thread;
    });
    private static final int MOST_STEPS = 30_000;

    final Random random;
    final Trace trace;
    private final int eagerness;
    private final List<Actor> actors = new ArrayList<>();
    private Actor current = new Actor("director", null);
    private long nanos = 1;
    private int steps;
    private boolean closing;
    private @Nullable String stuck;
    private @Nullable Throwable broken;

    Scheduler(Random random, Trace trace) {
        this.random = random;
        this.trace = trace;
        this.eagerness = 20 + random.nextInt(60);
        actors.add(current);
    }

    long nanos() {
        return nanos;
    }

    int steps() {
        return steps;
    }

    Actor current() {
        return current;
    }

    /** Why the run was cut off, if it was. */
    @Nullable
    String stuck() {
        return stuck;
    }

    /** The exception that ended an actor, other than its node's crash. */
    @Nullable
    Throwable broken() {
        return broken;
    }

    /** Adds an actor, who begins when it is first given the turn. */
    void spawn(String name, @Nullable NodeLifetime life, Runnable body) {
        Actor actor = new Actor(name, life);
        actors.add(actor);
        THREADS.execute(() -> {
            actor.awaitTurn();
            try {
                alive(actor);
                body.run();
            } catch (Crash died) {
                // The end of its node is its own end.
            } catch (Throwable thrown) {
                broken = broken == null ? thrown : broken;
            } finally {
                Thread.interrupted();
                actor.ended = true;
                actors.remove(actor);
                next(actor).giveTurn();
            }
        });
    }

    /** A point at which other actors may run. */
    void point() {
        pass(0, null, false);
    }

    /** Until the gate is open or the time is up; an interrupt ends the wait too, and is left standing. */
    void await(long forNanos, SimTime.@Nullable Opened gate, boolean interruptible) {
        pass(forNanos, gate, interruptible);
    }

    private void pass(long forNanos, SimTime.@Nullable Opened gate, boolean interruptible) {
        Actor self = current;
        alive(self);
        self.wakeAt = forNanos >= Long.MAX_VALUE - nanos ? Long.MAX_VALUE : nanos + forNanos;
        self.gate = gate;
        self.interruptible = interruptible;
        Actor next = next(self);
        if (next != self) {
            next.giveTurn();
            self.awaitTurn();
        }
        self.gate = null;
        alive(self);
    }

    /** @throws Crash when the actor's node has died, or the run is over */
    private void alive(Actor actor) {
        if (closing || actor.dead()) {
            throw new Crash();
        }
    }

    void alive() {
        alive(current);
    }

    private Actor next(Actor self) {
        Actor chosen = choose(self);
        current = chosen;
        return chosen;
    }

    private Actor choose(Actor self) {
        if (closing) {
            return actors.get(0);
        }
        for (Actor actor : actors) {
            if (actor != self && actor.dead()) {
                return actor;
            }
        }
        if (++steps > MOST_STEPS) {
            return cutOff("not quiet after " + MOST_STEPS + " steps");
        }
        if (!self.ended && self.readyAt(nanos) <= nanos && random.nextInt(100) < eagerness) {
            return self;
        }
        long earliest = Long.MAX_VALUE;
        List<Actor> ready = new ArrayList<>();
        for (Actor actor : actors) {
            long at = actor.readyAt(nanos);
            if (at < earliest) {
                earliest = at;
                ready.clear();
            }
            if (at == earliest) {
                ready.add(actor);
            }
        }
        if (earliest == Long.MAX_VALUE) {
            return cutOff("everybody waits for somebody else: "
                    + actors.stream().map(actor -> actor.name).toList());
        }
        nanos = Math.max(nanos, earliest);
        Actor chosen = ready.get(random.nextInt(ready.size()));
        trace.add(nanos, chosen.name, "");
        return chosen;
    }

    private Actor cutOff(String why) {
        stuck = why;
        closing = true;
        return actors.get(0);
    }

    /** Called by the director, who began the run and is the last to leave it: the others unwind, each in its turn. */
    void close() {
        closing = true;
        Actor director = actors.get(0);
        while (actors.size() > 1) {
            current = actors.get(1);
            current.giveTurn();
            director.awaitTurn();
        }
    }
}
