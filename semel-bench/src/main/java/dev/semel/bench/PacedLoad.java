package dev.semel.bench;

import dev.semel.SemelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Calls a cell at a fixed rate. Each call is due at its own time, whatever became of those before it, and its latency counts from then:
 * calls that had to wait behind a slow one are slow, too.
 */
final class PacedLoad {
    private PacedLoad() {}

    /** @param perSecond calls of all callers together */
    static Timing run(Cell cell, double perSecond, Duration length) {
        ExecutorService threads = Executors.newFixedThreadPool(cell.callers());
        try {
            cell.before().call(0);
            double interval = 1e9 / Math.max(1, perSecond);
            long calls = (long) Math.min(cell.atMost(), Math.max(cell.callers(), length.toNanos() / interval));
            CountDownLatch ready = new CountDownLatch(cell.callers());
            long began = System.nanoTime();
            List<Future<Histogram>> running = new ArrayList<>();
            for (int i = 0; i < cell.callers(); i++) {
                int caller = i;
                running.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    return calls(cell, caller, calls, interval);
                }));
            }
            List<Histogram> latencies = new ArrayList<>();
            for (Future<Histogram> each : running) {
                latencies.add(each.get());
            }
            Timing timing = new Timing(cell);
            timing.add(calls, System.nanoTime() - began, latencies);
            return timing;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable("The bench was interrupted while measuring " + cell.name(), e);
        } catch (ExecutionException e) {
            throw InterleavedRounds.failed(cell, e.getCause() == null ? e : e.getCause());
        } catch (Exception e) {
            throw InterleavedRounds.failed(cell, e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Every caller has its turn once in each interval of as many calls as there are callers. */
    private static Histogram calls(Cell cell, int caller, long calls, double interval) throws Exception {
        Histogram latencies = Timing.latencies();
        long start = System.nanoTime();
        for (long call = caller; call < calls; call += cell.callers()) {
            long due = start + (long) (call * interval);
            for (long early = due - System.nanoTime(); early > 0; early = due - System.nanoTime()) {
                LockSupport.parkNanos(early);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            cell.body().call(caller);
            latencies.recordValue(Math.min(System.nanoTime() - due, latencies.getHighestTrackableValue()));
        }
        return latencies;
    }
}
