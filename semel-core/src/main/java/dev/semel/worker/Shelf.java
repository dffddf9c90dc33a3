package dev.semel.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was claimed and has not begun. Tenants take turns, and none has more than its part of the handlers. Thread-safe.
 *
 * <p>Nothing is lost here when memory runs out: whatever needs some is done before anything is taken away.
 */
final class Shelf<P, R> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Part<P, R>> parts = new HashMap<>();
    private final Deque<Part<P, R>> turns = new ArrayDeque<>();
    private final int perTenant;
    private int size;

    /** What a tenant has here. */
    private static final class Part<P, R> {
        private final Deque<Unit<P, R>> waiting = new ArrayDeque<>();
        private int running;
        private int held;

        private boolean isIdle() {
            return waiting.isEmpty() && running <= 0 && held <= 0;
        }
    }

    Shelf(int perTenant) {
        this.perTenant = perTenant;
    }

    void put(Unit<P, R> unit) {
        lock.lock();
        try {
            Part<P, R> part = parts.computeIfAbsent(unit.tenant(), tenant -> new Part<>());
            if (part.waiting.isEmpty()) {
                turns.add(part);
            }
            part.waiting.add(unit);
            part.held += unit.deliveries().size();
            size++;
        } finally {
            lock.unlock();
        }
    }

    /** Up to so many units, in turns of their tenants; empty when nothing may begin now. */
    List<Unit<P, R>> take(int most) {
        lock.lock();
        try {
            List<Unit<P, R>> taken = new ArrayList<>(Math.min(most, size));
            int passed = 0;
            while (taken.size() < most && passed < turns.size()) {
                Part<P, R> part = turns.remove();
                if (part.running < perTenant) {
                    take(part, taken);
                    passed = 0;
                } else {
                    passed++;
                }
                if (!part.waiting.isEmpty()) {
                    turns.add(part);
                }
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void take(Part<P, R> part, List<Unit<P, R>> taken) {
        Unit<P, R> unit = part.waiting.poll();
        if (unit != null) {
            taken.add(unit);
            part.running++;
            size--;
        }
    }

    /** Everything that has not begun. */
    List<Unit<P, R>> takeAll() {
        lock.lock();
        try {
            List<Unit<P, R>> all = new ArrayList<>(size);
            for (Part<P, R> part = turns.poll(); part != null; part = turns.poll()) {
                while (!part.waiting.isEmpty()) {
                    take(part, all);
                }
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The handlers of the unit have ended. */
    void ended(Unit<P, R> unit) {
        count(unit.tenant(), -1, 0);
    }

    /** What a delivery left is written. */
    void settled(String tenant) {
        count(tenant, 0, -1);
    }

    private void count(String tenant, int running, int held) {
        lock.lock();
        try {
            Part<P, R> part = parts.get(tenant);
            if (part != null) {
                part.running += running;
                part.held += held;
                if (part.isIdle()) {
                    parts.remove(tenant);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Units that have not begun. */
    int size() {
        lock.lock();
        try {
            return size;
        } finally {
            lock.unlock();
        }
    }

    /** Tenants of which this node holds at least so many. */
    Set<String> crowded(int most) {
        lock.lock();
        try {
            Set<String> crowded = new HashSet<>();
            parts.forEach((tenant, part) -> {
                if (part.held >= most) {
                    crowded.add(tenant);
                }
            });
            return crowded;
        } finally {
            lock.unlock();
        }
    }
}
