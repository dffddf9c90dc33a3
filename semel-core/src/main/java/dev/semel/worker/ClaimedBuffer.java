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
 * Claimed deliveries that wait for a handler. Tenants take turns, and none has more than its share of the handlers.
 * Suspects wait apart until they may run alone: they do not count as ready work, and the first few do not make a
 * tenant crowded. Thread-safe.
 *
 * <p>Nothing is lost here when memory runs out: all memory is allocated before anything is removed.
 */
final class ClaimedBuffer<P, R> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, TenantShare<P, R>> shares = new HashMap<>();

    /** Those with something that waits, in the order of their turns. */
    private final Deque<TenantShare<P, R>> turns = new ArrayDeque<>();

    private final Deque<DeliveryGroup<P, R>> suspects = new ArrayDeque<>();
    private final int perTenant;
    private volatile int size;
    private volatile int ready;
    private volatile int suspected;

    /** The work of one handler thread, and the tenants it came from. */
    static final class Assignment<P, R> {
        private final List<DeliveryGroup<P, R>> groups;
        private final List<TenantShare<P, R>> shares = new ArrayList<>(1);

        private Assignment(int most) {
            this.groups = new ArrayList<>(most);
        }

        List<DeliveryGroup<P, R>> groups() {
            return groups;
        }
    }

    /** The waiting work of one tenant, its busy handlers, and its held records. */
    private static final class TenantShare<P, R> {
        private final String tenant;
        private final Deque<DeliveryGroup<P, R>> waiting = new ArrayDeque<>();
        private int handlers;
        private int held;
        private int suspected;

        TenantShare(String tenant) {
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

    void put(DeliveryGroup<P, R> group) {
        lock.lock();
        try {
            TenantShare<P, R> share = shares.computeIfAbsent(group.tenant(), TenantShare::new);
            if (group.isSuspect()) {
                suspects.add(group);
                suspected++;
            } else {
                if (share.waiting.isEmpty()) {
                    turns.add(share);
                }
                share.waiting.add(group);
                countWaiting(share, 1);
            }
            share.held += group.unsuspected();
            share.suspected += group.deliveries().size() - group.unsuspected();
        } finally {
            lock.unlock();
        }
    }

    /** The suspect that has waited longest of a tenant that may have one more handler; empty when there is none. */
    Assignment<P, R> takeSuspect() {
        lock.lock();
        try {
            Assignment<P, R> assignment = new Assignment<>(1);
            Iterator<DeliveryGroup<P, R>> each = suspects.iterator();
            while (each.hasNext() && assignment.groups.isEmpty()) {
                DeliveryGroup<P, R> group = each.next();
                if (mayBegin(group)) {
                    TenantShare<P, R> share = Objects.requireNonNull(shares.get(group.tenant()));
                    assignment.shares.add(share);
                    assignment.groups.add(group);
                    each.remove();
                    suspected--;
                    countHandlers(share, 1);
                }
            }
            return assignment;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the suspects that were put here before a time. */
    List<DeliveryGroup<P, R>> takeSuspectsBefore(long before) {
        if (suspected == 0) {
            return List.of();
        }
        lock.lock();
        try {
            List<DeliveryGroup<P, R>> old = suspects.stream()
                    .filter(group -> group.since() - before < 0)
                    .toList();
            suspects.removeAll(old);
            suspected -= old.size();
            return old;
        } finally {
            lock.unlock();
        }
    }

    /** Up to so many groups for one handler thread, from tenants in turn; empty when nothing may begin now. */
    Assignment<P, R> take(int most) {
        lock.lock();
        try {
            Assignment<P, R> assignment = new Assignment<>(Math.min(most, size));
            int passed = 0;
            while (assignment.groups.size() < most && passed < turns.size()) {
                TenantShare<P, R> share = turns.remove();
                if (assignment.shares.contains(share) || share.handlers < perTenant) {
                    take(share, assignment);
                    passed = 0;
                } else {
                    passed++;
                }
                if (!share.waiting.isEmpty()) {
                    turns.add(share);
                }
            }
            return assignment;
        } finally {
            lock.unlock();
        }
    }

    private void take(TenantShare<P, R> share, Assignment<P, R> assignment) {
        if (!assignment.shares.contains(share)) {
            assignment.shares.add(share);
            countHandlers(share, 1);
        }
        DeliveryGroup<P, R> group = share.waiting.poll();
        if (group != null) {
            assignment.groups.add(group);
            countWaiting(share, -1);
        }
    }

    /** Removes everything. */
    List<DeliveryGroup<P, R>> takeAll() {
        lock.lock();
        try {
            List<DeliveryGroup<P, R>> all = new ArrayList<>(size + suspected);
            all.addAll(suspects);
            suspects.clear();
            suspected = 0;
            for (TenantShare<P, R> share = turns.poll(); share != null; share = turns.poll()) {
                all.addAll(share.waiting);
                countWaiting(share, -share.waiting.size());
                share.waiting.clear();
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** The handler thread is done with its assignment. */
    void ended(Assignment<P, R> assignment) {
        lock.lock();
        try {
            for (int i = 0; i < assignment.shares.size(); i++) {
                TenantShare<P, R> share = assignment.shares.get(i);
                countHandlers(share, -1);
                forgetIdle(share);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A delivery has ended: its result is written, or it was let go. */
    void released(String tenant, boolean suspect) {
        lock.lock();
        try {
            TenantShare<P, R> share = shares.get(tenant);
            if (share != null) {
                share.held -= suspect ? 0 : 1;
                share.suspected -= suspect ? 1 : 0;
                forgetIdle(share);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forgetIdle(TenantShare<P, R> share) {
        if (share.isIdle()) {
            shares.remove(share.tenant);
        }
    }

    /** So many more groups wait. */
    private void countWaiting(TenantShare<P, R> share, int more) {
        size += more;
        ready += share.handlers < perTenant ? more : 0;
    }

    /** So many more handlers are busy for the tenant. */
    private void countHandlers(TenantShare<P, R> share, int more) {
        boolean before = share.handlers < perTenant;
        share.handlers += more;
        boolean after = share.handlers < perTenant;
        ready += before == after ? 0 : after ? share.waiting.size() : -share.waiting.size();
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

    private boolean mayBegin(DeliveryGroup<P, R> suspect) {
        TenantShare<P, R> share = shares.get(suspect.tenant());
        return share != null && share.handlers < perTenant;
    }

    /** Suspects that wait. */
    int suspects() {
        return suspected;
    }

    /** Groups that wait, without suspects. */
    int size() {
        return size;
    }

    /** Of those, the ones whose tenant may have one more handler. */
    int ready() {
        return ready;
    }

    /** Handlers that are busy, or will be with what waits here. */
    int usableHandlers() {
        lock.lock();
        try {
            int usable = 0;
            for (TenantShare<P, R> share : shares.values()) {
                usable += Math.min(perTenant, share.handlers + share.waiting.size());
            }
            return usable;
        } finally {
            lock.unlock();
        }
    }

    /** Tenants of which this node holds at least so many. */
    Set<String> crowded(int most) {
        lock.lock();
        try {
            Set<String> crowded = new HashSet<>();
            shares.forEach((tenant, share) -> {
                if (share.held + Math.max(0, share.suspected - ClaimWindow.MOST_SUSPECTS) >= most) {
                    crowded.add(tenant);
                }
            });
            return crowded;
        } finally {
            lock.unlock();
        }
    }
}
