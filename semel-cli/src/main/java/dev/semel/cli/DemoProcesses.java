package dev.semel.cli;

import dev.semel.SemelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The processes of the demo: keeps their number, gives them work, and kills one on request. */
final class DemoProcesses implements AutoCloseable {
    private static final int ENDING_SECONDS = 10;

    private final DemoTraffic traffic;
    private final IntFunction<DemoProcess> starting;
    private final int callers;
    private final List<DemoProcess> processes = new ArrayList<>();
    private int started;
    private int crashes;
    private @Nullable String fault;
    private boolean closing;

    /**
     * @param starting starts the process with the number
     * @param callers the number of concurrent payments per process
     */
    DemoProcesses(DemoTraffic traffic, IntFunction<DemoProcess> starting, int callers) {
        this.traffic = traffic;
        this.starting = starting;
        this.callers = callers;
    }

    synchronized void hire(int count) {
        for (int i = 0; i < count; i++) {
            DemoProcess process = starting.apply(++started);
            processes.add(process);
            Thread reader = new Thread(() -> listen(process), "demo-reader-" + started);
            reader.setDaemon(true);
            reader.start();
        }
    }

    synchronized boolean allReady() {
        return processes.stream().allMatch(DemoProcess::isReady);
    }

    /** Sends payments to all processes that have free callers. */
    synchronized void keepBusy() {
        if (fault != null) {
            throw new SemelException.StoreUnavailable(fault);
        }
        processes.forEach(process -> process.keepBusy(traffic, callers));
    }

    /**
     * Kills a working process without warning and starts another. Does nothing while half of them are still starting: on a slow
     * machine no process would be working soon.
     */
    synchronized boolean killOne(RandomGenerator random) {
        List<DemoProcess> working =
                processes.stream().filter(DemoProcess::isWorking).toList();
        if (working.size() * 2 <= processes.size()) {
            return false;
        }
        working.get(random.nextInt(working.size())).kill();
        crashes++;
        return true;
    }

    synchronized int crashes() {
        return crashes;
    }

    synchronized List<String> states() {
        return processes.stream().map(DemoProcess::state).toList();
    }

    private void listen(DemoProcess process) {
        try {
            for (String line = process.read(); line != null; line = process.read()) {
                String[] words = line.split(" ");
                synchronized (this) {
                    process.heard(words, traffic);
                    process.keepBusy(traffic, callers);
                }
            }
            ended(process, process.exit());
        } catch (IOException e) {
            ended(process, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void ended(DemoProcess process, int exit) {
        processes.remove(process);
        traffic.cutOff(process.abandoned());
        if (closing) {
            return;
        }
        if (!process.wasKilled(exit)) {
            fault = "A demo process failed with exit code " + exit + ": " + process.complaint();
            return;
        }
        hire(1);
    }

    /** Lets all processes end; kills those that do not. */
    @Override
    public void close() {
        List<DemoProcess> left;
        synchronized (this) {
            closing = true;
            left = List.copyOf(processes);
        }
        left.forEach(DemoProcess::dismiss);
        left.forEach(process -> process.awaitEnd(ENDING_SECONDS));
    }
}
