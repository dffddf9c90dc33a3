package dev.semel.bench;

import dev.semel.SemelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Compares cells in short alternating rounds, every second time in the opposite order, so that disturbances affect
 * all of them alike. Callers are threads that call again as soon as they are answered.
 */
final class InterleavedRounds implements AutoCloseable {
    private static final Duration ROUND = Duration.ofMillis(500);
    private static final int FEWEST_ROUNDS = 3;

    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "semel-bench");
        thread.setDaemon(true);
        return thread;
    });

    /** Reads how much processor time those who take part in a cell have used so far. */
    @FunctionalInterface
    interface Meter {
        ProcessorTime read(Cell cell);
    }

    /** @return one for each cell, in their order */
    List<Timing> run(Duration perCell, List<Cell> cells) {
        return run(perCell, cells, any -> ProcessorTime.NONE);
    }

    /** @return one for each cell, in their order, with the processor time of its rounds */
    List<Timing> run(Duration perCell, List<Cell> cells, Meter meter) {
        int rounds = (int) Math.max(FEWEST_ROUNDS, perCell.toMillis() / ROUND.toMillis());
        Duration slice = perCell.dividedBy(rounds);
        cells.forEach(cell -> round(cell, perCell.dividedBy(2), new Timing(cell)));
        List<Timing> timings = cells.stream().map(Timing::new).toList();
        for (int i = 0; i < rounds; i++) {
            List<Timing> order = new ArrayList<>(timings);
            if (i % 2 == 1) {
                Collections.reverse(order);
            }
            order.forEach(timing -> {
                ProcessorTime before = meter.read(timing.cell());
                round(timing.cell(), slice, timing);
                timing.used(meter.read(timing.cell()).since(before));
            });
        }
        return timings;
    }

    /** Runs so many operations, however long it takes. */
    Timing count(Cell cell, long operations) {
        Timing timing = new Timing(cell);
        round(cell.limited(operations), Duration.ofDays(1), timing);
        return timing;
    }

    private void round(Cell cell, Duration length, Timing into) {
        try {
            cell.before().call(0);
            CountDownLatch start = new CountDownLatch(1);
            long calls = Math.max(1, cell.atMost() / cell.batch() / cell.callers());
            List<Future<Caller>> running = new ArrayList<>();
            for (int i = 0; i < cell.callers(); i++) {
                Caller caller = new Caller(cell, i, calls);
                running.add(threads.submit(() -> caller.call(start, length)));
            }
            long began = System.nanoTime();
            start.countDown();
            long done = 0;
            long ended = began;
            List<Histogram> latencies = new ArrayList<>();
            for (Future<Caller> each : running) {
                Caller caller = each.get();
                done += caller.calls;
                ended = Math.max(ended, caller.ended);
                latencies.add(caller.latencies);
            }
            into.add(done * cell.batch(), ended - began, latencies);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable("The bench was interrupted while measuring " + cell.name(), e);
        } catch (ExecutionException e) {
            throw failed(cell, e.getCause() == null ? e : e.getCause());
        } catch (Exception e) {
            throw failed(cell, e);
        }
    }

    static RuntimeException failed(Cell cell, Throwable cause) {
        return cause instanceof SemelException known
                ? known
                : new IllegalStateException("Measuring \"" + cell.name() + "\" failed: " + cause, cause);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private static final class Caller {
        private final Cell cell;
        private final int number;
        private final long most;
        private final Histogram latencies = Timing.latencies();
        private long calls;
        private long ended;

        Caller(Cell cell, int number, long most) {
            this.cell = cell;
            this.number = number;
            this.most = most;
        }

        Caller call(CountDownLatch start, Duration length) throws Exception {
            start.await();
            long now = System.nanoTime();
            long until = now + length.toNanos();
            while (now - until < 0 && calls < most) {
                cell.body().call(number);
                long after = System.nanoTime();
                latencies.recordValue(Math.min(after - now, latencies.getHighestTrackableValue()));
                now = after;
                calls++;
            }
            ended = now;
            return this;
        }
    }
}
