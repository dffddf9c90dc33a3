package dev.semel.demo;

import dev.semel.SemelException;
import dev.semel.demo.ChildProcess.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The processes of the demo: starts them, replaces those that were killed, and passes on what they say. Thread-safe; the listener is told
 * one thing at a time, and may call the crew.
 */
final class Crew implements AutoCloseable {
    private static final int ENDING_SECONDS = 10;

    /** Is told what processes say, and when one was killed and has ended: nothing more comes from it. */
    interface Listener {
        void heard(ChildProcess process, String[] words);

        void ended(ChildProcess process);
    }

    private final Function<Role, ChildProcess> starting;
    private final Listener listener;
    private final List<ChildProcess> processes = new ArrayList<>();
    private final Map<Role, Integer> kills = new EnumMap<>(Role.class);
    private @Nullable String fault;
    private boolean closing;

    Crew(Function<Role, ChildProcess> starting, Listener listener) {
        this.starting = starting;
        this.listener = listener;
    }

    synchronized void hire(Role role) {
        if (closing) {
            return;
        }
        ChildProcess process = starting.apply(role);
        processes.add(process);
        Thread reader = new Thread(() -> listen(process), "demo-reader-" + role.word());
        reader.setDaemon(true);
        reader.start();
    }

    /** Says something to all processes of a role. */
    synchronized void tell(Role role, String line) {
        processes.stream().filter(each -> each.role() == role).forEach(each -> each.say(line));
    }

    synchronized boolean allReady() {
        return processes.stream().allMatch(ChildProcess::isWorking);
    }

    /** Whether there is no process of this role any more. */
    synchronized boolean none(Role role) {
        return processes.stream().noneMatch(each -> each.role() == role);
    }

    /** @throws SemelException.StoreUnavailable when a process failed that nobody had killed */
    synchronized void demandHealthy() {
        if (fault != null) {
            throw new SemelException.StoreUnavailable(fault);
        }
    }

    /**
     * Kills a working process of this role without warning; another one takes its place. Does nothing while half of them are still
     * starting: on a slow machine none would be working soon.
     */
    synchronized boolean killOne(Role role, RandomGenerator random) {
        List<ChildProcess> all =
                processes.stream().filter(each -> each.role() == role).toList();
        List<ChildProcess> working =
                all.stream().filter(ChildProcess::isWorking).toList();
        if (working.isEmpty() || all.size() > 1 && working.size() * 2 <= all.size()) {
            return false;
        }
        working.get(random.nextInt(working.size())).kill();
        kills.merge(role, 1, Integer::sum);
        return true;
    }

    synchronized int kills(Role role) {
        return kills.getOrDefault(role, 0);
    }

    synchronized List<String> states() {
        return processes.stream().map(ChildProcess::state).toList();
    }

    private void listen(ChildProcess process) {
        try {
            for (String line = process.read(); line != null; line = process.read()) {
                String[] words = line.split(" ");
                synchronized (this) {
                    listener.heard(process, words);
                }
            }
            ended(process, process.exit());
        } catch (IOException e) {
            ended(process, -1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void ended(ChildProcess process, int exit) {
        processes.remove(process);
        if (process.wasKilled(exit)) {
            listener.ended(process);
            hire(process.role());
        } else if (exit != 0 && !closing) {
            fault = "A process of the demo (" + process.role().word() + ") failed with exit code " + exit + ": "
                    + process.complaint();
        }
    }

    /** Lets all processes end; kills those that do not. */
    @Override
    public void close() {
        List<ChildProcess> left;
        synchronized (this) {
            closing = true;
            left = List.copyOf(processes);
        }
        left.forEach(ChildProcess::dismiss);
        left.forEach(process -> process.awaitEnd(ENDING_SECONDS));
    }
}
