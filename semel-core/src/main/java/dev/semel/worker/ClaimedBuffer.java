package dev.semel.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was claimed and has not begun. Tenants take turns, and none has more than its part of the handlers. Suspects stand apart
 * and wait for leave to run: they do not count as work that is at hand, and the first few not as a tenant's crowd. Thread-safe.
 *
 * <p>Nothing is lost here when memory runs out: whatever needs some is done before anything is taken away.
 */
final class ClaimedBuffer<P, R> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Part<P, R>> parts = new HashMap<>();
    private final Deque<Part<P, R>> turns = new ArrayDeque<>();
    private final Deque<ClaimedUnit<P, R>> suspects = new ArrayDeque<>();
    private final int perTenant;
    private volatile int size;
    private volatile int ready;
    private volatile int suspected;

    /** What a handler was given, and of whom. */
    static final class Hand<P, R> {
        private final List<ClaimedUnit<P, R>> units;
        private final List<Part<P, R>> parts = new ArrayList<>(1);

        private Hand(int most) {
            this.units = new ArrayList<>(most);
        }

        List<ClaimedUnit<P, R>> units() {
            return units;
        }
    }

    /** What a tenant has here. */
    private static final class Part<P, R> {
        private final String tenant;
        private final Deque<ClaimedUnit<P, R>> waiting = new ArrayDeque<>();
        private int handlers;
        private int held;
        private int suspected;

        Part(String tenant) {
            this.tenant = tenant;
        }

        private boolean isIdle() {
            return waiting.isEmpty() && handlers <= 0 && held <= 0 && suspected <= 0;
        }
    }

    /** @param perTenant handlers that a tenant may have at once */
    ClaimedBuffer(int perTenant) {
        this.perTenant = perTenant;
    }

    void put(ClaimedUnit<P, R> unit) {
        lock.lock();
        try {
            Part<P, R> part = parts.computeIfAbsent(unit.tenant(), Part::new);
            if (unit.isSuspect()) {
                suspects.add(unit);
                suspected++;
            } else {
                if (part.waiting.isEmpty()) {
                    turns.add(part);
                }
                part.waiting.add(unit);
                count(part, 1);
            }
            part.held += unit.unsuspected();
            part.suspected += unit.deliveries().size() - unit.unsuspected();
        } finally {
            lock.unlock();
        }
    }

    /** The suspect that has waited longest, of a tenant that may have one more handler; none when there is none. */
    Hand<P, R> takeSuspect() {
        lock.lock();
        try {
            Hand<P, R> hand = new Hand<>(1);
            Iterator<ClaimedUnit<P, R>> each = suspects.iterator();
            while (each.hasNext() && hand.units.isEmpty()) {
                ClaimedUnit<P, R> unit = each.next();
                if (mayBegin(unit)) {
                    Part<P, R> part = Objects.requireNonNull(parts.get(unit.tenant()));
                    hand.parts.add(part);
                    hand.units.add(unit);
                    each.remove();
                    suspected--;
                    engage(part, 1);
                }
            }
            return hand;
        } finally {
            lock.unlock();
        }
    }

    /** Takes away suspects that were put here before a time and have not begun. */
    List<ClaimedUnit<P, R>> takeSuspectsFrom(long before) {
        if (suspected == 0) {
            return List.of();
        }
        lock.lock();
        try {
            List<ClaimedUnit<P, R>> old =
                    suspects.stream().filter(unit -> unit.since() - before < 0).toList();
            suspects.removeAll(old);
            suspected -= old.size();
            return old;
        } finally {
            lock.unlock();
        }
    }

    /** Up to so many units for one handler, in turns of their tenants; none when nothing may begin now. */
    Hand<P, R> take(int most) {
        lock.lock();
        try {
            Hand<P, R> hand = new Hand<>(Math.min(most, size));
            int passed = 0;
            while (hand.units.size() < most && passed < turns.size()) {
                Part<P, R> part = turns.remove();
                if (hand.parts.contains(part) || part.handlers < perTenant) {
                    take(part, hand);
                    passed = 0;
                } else {
                    passed++;
                }
                if (!part.waiting.isEmpty()) {
                    turns.add(part);
                }
            }
            return hand;
        } finally {
            lock.unlock();
        }
    }

    private void take(Part<P, R> part, Hand<P, R> hand) {
        if (!hand.parts.contains(part)) {
            hand.parts.add(part);
            engage(part, 1);
        }
        ClaimedUnit<P, R> unit = part.waiting.poll();
        if (unit != null) {
            hand.units.add(unit);
            count(part, -1);
        }
    }

    /** Everything that has not begun. */
    List<ClaimedUnit<P, R>> takeAll() {
        lock.lock();
        try {
            List<ClaimedUnit<P, R>> all = new ArrayList<>(size + suspected);
            all.addAll(suspects);
            suspects.clear();
            suspected = 0;
            for (Part<P, R> part = turns.poll(); part != null; part = turns.poll()) {
                all.addAll(part.waiting);
                count(part, -part.waiting.size());
                part.waiting.clear();
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The handler to which this was given has ended. */
    void ended(Hand<P, R> hand) {
        lock.lock();
        try {
            for (int i = 0; i < hand.parts.size(); i++) {
                Part<P, R> part = hand.parts.get(i);
                engage(part, -1);
                forgetIdle(part);
            }
        } finally {
            lock.unlock();
        }
    }

    /** What a delivery left is written. */
    void settled(String tenant, boolean suspect) {
        lock.lock();
        try {
            Part<P, R> part = parts.get(tenant);
            if (part != null) {
                part.held -= suspect ? 0 : 1;
                part.suspected -= suspect ? 1 : 0;
                forgetIdle(part);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forgetIdle(Part<P, R> part) {
        if (part.isIdle()) {
            parts.remove(part.tenant);
        }
    }

    /** So many more wait. */
    private void count(Part<P, R> part, int more) {
        size += more;
        ready += part.handlers < perTenant ? more : 0;
    }

    /** So many more handlers are at work for the tenant. */
    private void engage(Part<P, R> part, int more) {
        boolean before = part.handlers < perTenant;
        part.handlers += more;
        boolean after = part.handlers < perTenant;
        ready += before == after ? 0 : after ? part.waiting.size() : -part.waiting.size();
    }

    /** Whether a suspect waits of a tenant that may have one more handler. */
    boolean hasReadySuspect() {
        if (suspected == 0) {
            return false;
        }
        lock.lock();
        try {
            return suspects.stream().anyMatch(this::mayBegin);
        } finally {
            lock.unlock();
        }
    }

    private boolean mayBegin(ClaimedUnit<P, R> suspect) {
        Part<P, R> part = parts.get(suspect.tenant());
        return part != null && part.handlers < perTenant;
    }

    /** Units that wait for leave to run alone. */
    int suspects() {
        return suspected;
    }

    /** Units that have not begun, without suspects. */
    int size() {
        return size;
    }

    /** Of them, those that may begin now. */
    int ready() {
        return ready;
    }

    /** Tenants of which this node holds at least so many. */
    Set<String> crowded(int most) {
        lock.lock();
        try {
            Set<String> crowded = new HashSet<>();
            parts.forEach((tenant, part) -> {
                if (part.held + Math.max(0, part.suspected - ChannelConsumer.MOST_SUSPECTS) >= most) {
                    crowded.add(tenant);
                }
            });
            return crowded;
        } finally {
            lock.unlock();
        }
    }
}
