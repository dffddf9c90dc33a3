package dev.semel.bench;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Runs whole tasks in turn, every second time in the opposite order, after some warm-up rounds: a JVM that has just
 * started is slow at everything.
 */
final class AlternatingRuns {
    private static final int MOST_WARM_UPS = 2;

    private AlternatingRuns() {}

    /** The result of one round. */
    record RoundResult(long operations, long nanos, Histogram latencies) {
        static RoundResult of(long operations, long nanos) {
            return new RoundResult(operations, nanos, Timing.latencies());
        }
    }

    @FunctionalInterface
    interface Round {
        RoundResult run() throws Exception;
    }

    /** @param workers how many handlers or senders there are at once */
    record MeasuredRun(String name, int workers, Round round) {
        private Timing timing() {
            return new Timing(Cell.of(name, workers, caller -> {}));
        }
    }

    /** @return one for each run, in their order */
    static List<Timing> run(int rounds, List<MeasuredRun> runs) {
        for (int i = 0; i < Math.min(rounds, MOST_WARM_UPS); i++) {
            runs.forEach(AlternatingRuns::runOnce);
        }
        List<Timing> timings = runs.stream().map(MeasuredRun::timing).toList();
        List<Integer> order = new ArrayList<>(
                java.util.stream.IntStream.range(0, runs.size()).boxed().toList());
        for (int i = 0; i < rounds; i++) {
            for (int place : order) {
                add(timings.get(place), runOnce(runs.get(place)));
            }
            Collections.reverse(order);
        }
        return timings;
    }

    /** Once, without a round ahead. */
    static Timing once(MeasuredRun run) {
        Timing timing = run.timing();
        add(timing, runOnce(run));
        return timing;
    }

    private static void add(Timing timing, RoundResult result) {
        timing.add(result.operations, result.nanos, List.of(result.latencies));
    }

    private static RoundResult runOnce(MeasuredRun run) {
        try {
            return run.round.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable("The bench was interrupted while measuring " + run.name, e);
        } catch (SemelException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Measuring \"" + run.name + "\" failed: " + e, e);
        }
    }
}
