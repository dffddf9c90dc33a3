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
    record Lap(long operations, long nanos, Histogram latencies) {
        static Lap of(long operations, long nanos) {
            return new Lap(operations, nanos, Timing.latencies());
        }
    }

    @FunctionalInterface
    interface Round {
        Lap run() throws Exception;
    }

    /** @param workers how many handlers or senders there are at once */
    record Entrant(String name, int workers, Round round) {
        private Timing timing() {
            return new Timing(Cell.of(name, workers, caller -> {}));
        }
    }

    /** @return one for each entrant, in their order */
    static List<Timing> run(int rounds, List<Entrant> entrants) {
        for (int i = 0; i < Math.min(rounds, MOST_WARM_UPS); i++) {
            entrants.forEach(AlternatingRuns::lap);
        }
        List<Timing> timings = entrants.stream().map(Entrant::timing).toList();
        List<Integer> order = new ArrayList<>(
                java.util.stream.IntStream.range(0, entrants.size()).boxed().toList());
        for (int i = 0; i < rounds; i++) {
            for (int place : order) {
                add(timings.get(place), lap(entrants.get(place)));
            }
            Collections.reverse(order);
        }
        return timings;
    }

    /** Once, without a round ahead. */
    static Timing once(Entrant entrant) {
        Timing timing = entrant.timing();
        add(timing, lap(entrant));
        return timing;
    }

    private static void add(Timing timing, Lap lap) {
        timing.add(lap.operations, lap.nanos, List.of(lap.latencies));
    }

    private static Lap lap(Entrant entrant) {
        try {
            return entrant.round.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable("The bench was interrupted while measuring " + entrant.name, e);
        } catch (SemelException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("Measuring \"" + entrant.name + "\" failed: " + e, e);
        }
    }
}
