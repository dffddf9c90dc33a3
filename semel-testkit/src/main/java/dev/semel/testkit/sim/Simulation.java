package dev.semel.testkit.sim;

import dev.semel.testkit.history.Judgement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the engine under everything that can go wrong, as a seed decides: several nodes over one in-memory store, clients that
 * ask for the same few keys, runs that are interrupted in their steps and the reconcilers that are asked about them, senders to
 * channels with lanes and without, workers, rate limits and breakers, a provider whose lost deliveries are sent again, crashes, pauses
 * of several leases, lost requests and replies, unknown commits, wrong clocks, an operator who switches modes, pauses, replays,
 * discards, cancels, forgets and adopts. Afterwards the faults stop, the nodes bring everything to an end, and the
 * {@link dev.semel.testkit.history.HistoryChecker} judges, with what can only be seen from inside.
 *
 * <p>The same seed gives the same run: {@link Report#trace} is a hash over everything that was decided.
 */
public final class Simulation {
    private final StoreUnderTest plant;

    private Simulation(StoreUnderTest plant) {
        this.plant = plant;
    }

    public static Simulation of(StoreUnderTest plant) {
        return new Simulation(plant);
    }

    /**
     * The result of a run.
     *
     * @param trace hash over every decision of the run
     * @param steps how often the turn was handed on
     * @param wrongs the violations, in words
     * @param judgement the checker's part; absent when the run could not be brought to its end
     * @param story the newest decisions, when they were asked for
     */
    public record Report(
            long seed,
            long trace,
            int steps,
            List<String> wrongs,
            @Nullable Judgement judgement,
            List<String> story) {
        public Report {
            wrongs = List.copyOf(wrongs);
            story = List.copyOf(story);
        }

        public boolean holds() {
            return wrongs.isEmpty();
        }

        /** For a person: the violations, and how to reproduce them. */
        public String shown() {
            String told = story.isEmpty() ? "" : story.stream().collect(Collectors.joining("\n  ", "\n\n  ", ""));
            return "Seed " + seed + ", trace " + Long.toHexString(trace) + ":\n" + String.join("\n", wrongs)
                    + "\nSee it again: mvn test -pl semel-testkit -am -Dtest=SimulationTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dseed=" + seed + told;
        }
    }

    public Report run(long seed) {
        return run(seed, false);
    }

    /** Runs with the decisions kept, to be read. */
    public Report tell(long seed) {
        return run(seed, true);
    }

    private Report run(long seed, boolean telling) {
        Trace trace = new Trace(telling);
        Scheduler scheduler = new Scheduler(new Random(seed), trace);
        List<String> wrongs = new ArrayList<>();
        Judgement judgement = null;
        try {
            World world = new World(scheduler, plant);
            world.live();
            world.settle();
            RunVerdict.Verdict verdict = new RunVerdict(world, plant.beneath(world.store, world.time)).judge();
            wrongs.addAll(verdict.wrongs());
            judgement = verdict.judgement();
        } catch (Crash cutOff) {
            wrongs.add("The run did not come to its end: " + scheduler.stuck());
        } finally {
            scheduler.close();
        }
        Throwable broken = scheduler.broken();
        if (broken != null) {
            wrongs.add("An actor ended with " + broken + " at "
                    + List.of(broken.getStackTrace()).stream()
                            .limit(6)
                            .map(Object::toString)
                            .collect(Collectors.joining(" < ")));
        }
        return new Report(seed, trace.hash(), scheduler.steps(), wrongs, judgement, trace.lines());
    }
}
