package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.Renewal;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Watches the runs of this process: renews their leases, all of them in one statement and each before half of it has passed,
 * and interrupts a handler whose attempt takes too long or whose record was lost. Passive: somebody calls {@link #tick}.
 */
public final class LeaseKeeper {
    private static final Duration IDLE = Duration.ofMillis(500);
    private static final int LARGEST_BATCH = 512;

    private final Ledger ledger;
    private final TimeSource time;
    private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
    private volatile Runnable onEarlier = () -> {};
    private volatile long nextTick = Long.MAX_VALUE;

    public LeaseKeeper(Ledger ledger, TimeSource time) {
        this.ledger = ledger;
        this.time = time;
    }

    /** Called when a run needs a tick earlier than the last one announced. */
    public void onEarlier(Runnable wake) {
        onEarlier = wake;
    }

    /** Why a handler was interrupted, or not started. */
    enum Stop {
        NONE,
        TIMED_OUT,
        /** The store says that another has the record. */
        LEASE_LOST,
        /** By this node's own clock another may have it; nobody said so. Nothing was started. */
        LEASE_OVER
    }

    /**
     * A lease to be renewed.
     *
     * @param since when it was asked for, by this node's monotonic clock: the store counts from no earlier
     */
    record Lease(RecordId id, long fence, Duration length, long since) {}

    /** Watches a handler that begins now and has no lease. */
    Watched watch(Duration attemptTimeout) {
        Watched run = new Watched(null);
        watched.add(run);
        run.begin(attemptTimeout);
        return run;
    }

    /** Of a record whose lease somebody outside this process renews: nothing is done for it here. */
    Watched elsewhere() {
        return new Watched(null);
    }

    /** Renews a lease from its grant until it is closed; its handler begins later, if at all. */
    Watched hold(Lease lease) {
        Watched run = new Watched(lease);
        watched.add(run);
        wakeFor(run);
        return run;
    }

    /** As {@link #hold(Lease)}, of a call that was granted, or renewed, a moment ago. */
    Watched hold(PreparedCall<?, ?> prepared, long fence) {
        return hold(new Lease(prepared.id(), fence, prepared.policy().limits().lease(), time.nanos()));
    }

    private void wakeFor(Watched run) {
        if (run.nextDue() - nextTick < 0) {
            onEarlier.run();
        }
    }

    /** Renews leases and interrupts handlers that are due. Returns the time until the next call. */
    public Duration tick() {
        long now = time.nanos();
        List<Watched> renewing = new ArrayList<>();
        for (Watched run : watched) {
            if (run.running && run.deadline - now <= 0) {
                run.stop(Stop.TIMED_OUT);
            }
            if (run.lease != null && run.renewAt - now <= 0 && !run.leaseLost && !run.committing) {
                renewing.add(run);
            }
        }
        for (int i = 0; i < renewing.size(); i += LARGEST_BATCH) {
            renew(renewing.subList(i, Math.min(renewing.size(), i + LARGEST_BATCH)));
        }
        return untilNext();
    }

    private void renew(List<Watched> runs) {
        List<Watched> ordered = newest(runs);
        long asked = time.nanos();
        List<Boolean> held;
        try {
            held = ledger.renew(ordered.stream()
                    .map(run -> new Renewal(
                            run.held().id(),
                            run.held().fence(),
                            run.held().length().toMillis()))
                    .toList());
        } catch (SemelException.Locked e) {
            renewApart(ordered, asked);
            return;
        }
        for (int i = 0; i < ordered.size(); i++) {
            if (held.get(i)) {
                ordered.get(i).renewed(asked);
            } else {
                ordered.get(i).lost();
            }
        }
    }

    /**
     * In the order of their records. A run whose record was granted to this node again has lost it: no renewal is
     * needed.
     */
    private static List<Watched> newest(List<Watched> runs) {
        SortedMap<RecordId, Watched> newest = new TreeMap<>();
        for (Watched run : runs) {
            Watched other = newest.putIfAbsent(run.held().id(), run);
            if (other == null) {
                continue;
            }
            boolean newer = run.held().fence() > other.held().fence();
            newest.put(run.held().id(), newer ? run : other);
            (newer ? other : run).lost();
        }
        return List.copyOf(newest.values());
    }

    /** One of the records is locked by another transaction: the others are renewed without it, and it is tried again soon. */
    private void renewApart(List<Watched> runs, long asked) {
        if (runs.size() == 1) {
            runs.get(0).postpone(asked);
            return;
        }
        int middle = runs.size() / 2;
        renew(runs.subList(0, middle));
        renew(runs.subList(middle, runs.size()));
    }

    private Duration untilNext() {
        long now = time.nanos();
        long next = now + IDLE.toNanos();
        for (Watched run : watched) {
            if (run.nextDue() - next < 0) {
                next = run.nextDue();
            }
        }
        nextTick = next;
        return Duration.ofNanos(Math.max(0, next - now));
    }

    /** One run on one thread, from its grant to its end. */
    final class Watched implements AutoCloseable {
        private volatile Thread thread = Thread.currentThread();
        private final ReentrantLock lock = new ReentrantLock();
        private final @Nullable Lease lease;
        private volatile long deadline;
        private volatile long renewAt;
        private volatile long trustedUntil;
        private volatile boolean leaseLost;
        private volatile boolean committing;
        private volatile boolean running;
        private volatile Stop stopped = Stop.NONE;

        Watched(@Nullable Lease lease) {
            this.lease = lease;
            renewed(lease == null ? 0 : lease.since());
        }

        /** The reason why its handler may not start now, or NONE. */
        Stop stopReason() {
            if (leaseLost) {
                return Stop.LEASE_LOST;
            }
            return lease != null && trustedUntil - time.nanos() <= 0 ? Stop.LEASE_OVER : Stop.NONE;
        }

        /** The handler begins, unless something keeps it from that. */
        Stop begin(Duration attemptTimeout) {
            lock.lock();
            try {
                Stop now = stopReason();
                if (now != Stop.NONE) {
                    return now;
                }
                thread = Thread.currentThread();
                deadline = time.nanos() + InFlightCalls.bounded(attemptTimeout);
                running = true;
            } finally {
                lock.unlock();
            }
            wakeFor(this);
            return Stop.NONE;
        }

        private Lease held() {
            return java.util.Objects.requireNonNull(lease);
        }

        /** Not trusted to its very end: a handler that begins takes a moment to act, and clocks differ in their pace. */
        private void renewed(long asked) {
            if (lease != null) {
                long length = lease.length().toNanos();
                renewAt = asked + length * 2 / 5;
                trustedUntil = asked + length * 4 / 5;
            }
        }

        private void postpone(long asked) {
            renewAt = asked + held().length().toNanos() / 10;
        }

        private long nextDue() {
            long renewal = lease == null || leaseLost || committing ? time.nanos() + IDLE.toNanos() : renewAt;
            return running && stopped == Stop.NONE && deadline - renewal < 0 ? deadline : renewal;
        }

        /** Its effect is being committed with the record: there is no lease to renew any more, nor a row to wait for. */
        void committing(boolean now) {
            committing = now;
        }

        /** Another grant has its record. */
        private void lost() {
            leaseLost = true;
            stop(Stop.LEASE_LOST);
        }

        private void stop(Stop why) {
            lock.lock();
            try {
                if (running && stopped == Stop.NONE) {
                    stopped = why;
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        /** The handler returned: nobody interrupts the thread any more. The lease is renewed until {@link #close}. */
        Stop handlerEnded() {
            lock.lock();
            try {
                if (running && stopped != Stop.NONE) {
                    Thread.interrupted();
                }
                running = false;
                return stopped;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            watched.remove(this);
            handlerEnded();
        }
    }
}
