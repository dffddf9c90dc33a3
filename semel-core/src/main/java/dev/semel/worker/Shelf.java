package dev.semel.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was claimed and has not begun. Tenants take turns, and none has more than its part of the handlers. Thread-safe.
 */
final class Shelf<P, R> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Deque<Unit<P, R>>> waiting = new LinkedHashMap<>();
    private final Map<String, Integer> running = new HashMap<>();
    private final Map<String, Integer> held = new HashMap<>();
    private final int perTenant;
    private int size;

    Shelf(int perTenant) {
        this.perTenant = perTenant;
    }

    void put(Unit<P, R> unit) {
        lock.lock();
        try {
            waiting.computeIfAbsent(unit.tenant(), tenant -> new ArrayDeque<>()).add(unit);
            held.merge(unit.tenant(), unit.deliveries().size(), Integer::sum);
            size++;
        } finally {
            lock.unlock();
        }
    }

    /** Up to so many units, in turns of their tenants; empty when nothing may begin now. */
    List<Unit<P, R>> take(int most) {
        lock.lock();
        try {
            List<Unit<P, R>> taken = new ArrayList<>();
            Set<String> passed = new HashSet<>();
            while (taken.size() < most && passed.size() < waiting.size()) {
                String tenant = waiting.keySet().iterator().next();
                Deque<Unit<P, R>> units = waiting.remove(tenant);
                if (running.getOrDefault(tenant, 0) < perTenant) {
                    taken.add(units.poll());
                    running.merge(tenant, 1, Integer::sum);
                    size--;
                    passed.clear();
                } else {
                    passed.add(tenant);
                }
                if (!units.isEmpty()) {
                    waiting.put(tenant, units);
                }
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Everything that has not begun. */
    List<Unit<P, R>> takeAll() {
        lock.lock();
        try {
            List<Unit<P, R>> all =
                    waiting.values().stream().flatMap(Deque::stream).toList();
            all.forEach(unit -> running.merge(unit.tenant(), 1, Integer::sum));
            waiting.clear();
            size = 0;
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The handlers of the unit have ended. */
    void ended(Unit<P, R> unit) {
        lock.lock();
        try {
            running.computeIfPresent(unit.tenant(), (tenant, count) -> count == 1 ? null : count - 1);
        } finally {
            lock.unlock();
        }
    }

    /** What a delivery left is written. */
    void settled(String tenant) {
        lock.lock();
        try {
            held.computeIfPresent(tenant, (any, count) -> count == 1 ? null : count - 1);
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
            held.forEach((tenant, count) -> {
                if (count >= most) {
                    crowded.add(tenant);
                }
            });
            return crowded;
        } finally {
            lock.unlock();
        }
    }
}
