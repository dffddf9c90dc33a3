package dev.semel.worker;

import dev.semel.store.Signals;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups between nodes: one thread announces what was queued here, another one listens to what others announce. An
 * announcement makes the commits of a database wait for each other, so those of a short pause are sent as one. A wake-up that is
 * lost costs a poll interval.
 */
final class RemoteWakeUps implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteWakeUps.class);
    private static final Duration BETWEEN_ANNOUNCEMENTS = Duration.ofMillis(20);
    private static final Duration LISTEN = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Signals signals;
    private final TimeSource time;
    private final Consumer<Set<String>> wake;
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread announcer;
    private final Thread listener;
    private Set<String> gathered = new HashSet<>();
    private TimeSource.Gate gate;
    private volatile boolean closed;

    /** @param wake called with the operations that other nodes announce */
    RemoteWakeUps(Signals signals, TimeSource time, Consumer<Set<String>> wake) {
        this.signals = signals;
        this.time = time;
        this.wake = wake;
        this.gate = time.gate();
        this.announcer = DaemonThreads.forEver("semel-announcer", time, this::announceGathered);
        this.listener = DaemonThreads.forEver("semel-listener", time, this::listen);
    }

    void start() {
        announcer.start();
        listener.start();
    }

    /** Tells other nodes soon that there is work; does not wait for it. */
    void announce(Set<String> operations) {
        lock.lock();
        try {
            gathered.addAll(operations);
            gate.open();
        } finally {
            lock.unlock();
        }
    }

    private boolean announceGathered() throws InterruptedException {
        currentGate().await();
        Set<String> operations = takeGathered();
        if (!operations.isEmpty()) {
            try {
                signals.announce(operations);
            } catch (RuntimeException e) {
                LOG.debug("Could not announce new work to other nodes; they will find it when they poll.", e);
            }
        }
        time.sleep(BETWEEN_ANNOUNCEMENTS);
        return true;
    }

    private TimeSource.Gate currentGate() {
        lock.lock();
        try {
            return gate;
        } finally {
            lock.unlock();
        }
    }

    private Set<String> takeGathered() {
        lock.lock();
        try {
            Set<String> taken = gathered;
            gathered = new HashSet<>();
            gate = time.gate();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private boolean listen() throws InterruptedException {
        try {
            wake.accept(signals.await(LISTEN));
        } catch (RuntimeException e) {
            LOG.debug(
                    "Could not listen for announcements of other nodes; retrying in {} s, polling meanwhile.",
                    AFTER_FAILURE.toSeconds(),
                    e);
            time.sleep(AFTER_FAILURE);
        }
        return !closed;
    }

    /** Has the listener end with its present wait. */
    void stop() {
        closed = true;
    }

    @Override
    public void close() {
        DaemonThreads.end(listener);
        DaemonThreads.end(announcer);
    }
}
