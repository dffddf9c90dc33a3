package dev.semel.worker;

import dev.semel.store.Signals;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells other nodes that there is work, seldom: an announcement makes the commits of a database wait for each other, so what
 * gathers within a pause goes in one. Nobody waits for it.
 */
final class Announcer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Signals signals;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread thread;
    private Set<String> gathered = new HashSet<>();
    private TimeSource.Gate gate;

    Announcer(Signals signals, TimeSource time) {
        this.signals = signals;
        this.time = time;
        this.gate = time.gate();
        this.thread = Threads.forEver("semel-announcer", time, this::round);
        thread.start();
    }

    void announce(Set<String> operations) {
        lock.lock();
        try {
            gathered.addAll(operations);
            gate.open();
        } finally {
            lock.unlock();
        }
    }

    private boolean round() throws InterruptedException {
        next().await();
        Set<String> operations = taken();
        if (!operations.isEmpty()) {
            announceNow(operations);
        }
        time.sleep(PAUSE);
        return true;
    }

    private TimeSource.Gate next() {
        lock.lock();
        try {
            return gate;
        } finally {
            lock.unlock();
        }
    }

    private Set<String> taken() {
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

    private void announceNow(Set<String> operations) {
        try {
            signals.announce(operations);
        } catch (RuntimeException e) {
            LOG.debug("Other nodes could not be told of work; their polls find it.", e);
        }
    }

    @Override
    public void close() {
        Threads.end(thread);
    }
}
