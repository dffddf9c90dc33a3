package dev.semel.worker;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where this node counts, by operation and tenant. Bounded: tenants for which there is no room are counted together with the others of
 * their operation, and operations for which there is none under {@link #OTHER_OPERATIONS}. Any thread may count; one at a time takes.
 */
final class ActivityCells {
    /** No operation is called so. */
    static final String OTHER_OPERATIONS = "";

    private static final int MOST_OPERATIONS = 200;
    private static final int MOST_CELLS = 1_000;

    /** Of rounds without any count, after which a tenant's cell, or an operation, makes room if it is needed. */
    private static final int IDLE = 6;

    private final Map<String, OperationCells> operations = new ConcurrentHashMap<>();
    private final AtomicInteger cells = new AtomicInteger();

    /** Taken out in the last round; somebody may have been about to count with them. */
    private final Map<CellKey, ActivityCell> retired = new HashMap<>();

    private final Map<String, OperationCells> retiredOperations = new HashMap<>();

    /** @param tenant {@link ActivityLog#ALL_TENANTS} for those that have no cell of their own */
    record CellKey(String operation, String tenant) {}

    private static final class OperationCells {
        private final ActivityCell others = new ActivityCell();
        private final Map<String, ActivityCell> tenants = new ConcurrentHashMap<>();

        boolean isIdle() {
            return others.idleRounds() >= IDLE && tenants.values().stream().allMatch(cell -> cell.idleRounds() >= IDLE);
        }
    }

    private OperationCells of(String operation) {
        OperationCells found = operations.get(operation);
        return found != null
                ? found
                : operations.computeIfAbsent(
                        operations.size() < MOST_OPERATIONS ? operation : OTHER_OPERATIONS,
                        name -> new OperationCells());
    }

    /** For what is known of all tenants together and of none alone. */
    ActivityCell ofAllTenants(String operation) {
        return of(operation).others;
    }

    ActivityCell of(String operation, String tenant) {
        OperationCells found = of(operation);
        ActivityCell cell = found.tenants.get(tenant);
        return cell == null ? added(found, tenant) : cell;
    }

    private ActivityCell added(OperationCells to, String tenant) {
        if (cells.get() >= MOST_CELLS) {
            return to.others;
        }
        return to.tenants.computeIfAbsent(tenant, name -> {
            cells.incrementAndGet();
            return new ActivityCell();
        });
    }

    /** What was counted since the last time, where there was anything. */
    Map<CellKey, ActivityCounts> take() {
        Map<CellKey, ActivityCounts> counts = new HashMap<>();
        retired.forEach((key, cell) -> take(key, cell, counts));
        retired.clear();
        retiredOperations.forEach((operation, each) -> {
            take(operation, each, counts);
            cells.addAndGet(-each.tenants.size());
        });
        retiredOperations.clear();
        boolean crowdedOperations = operations.size() > MOST_OPERATIONS / 2;
        boolean crowded = cells.get() > MOST_CELLS / 2;
        operations.forEach((operation, each) -> {
            take(operation, each, counts);
            if (crowdedOperations && each.isIdle()) {
                operations.remove(operation);
                retiredOperations.put(operation, each);
            } else if (crowded) {
                retireTenants(operation, each);
            }
        });
        return counts;
    }

    private static void take(String operation, OperationCells from, Map<CellKey, ActivityCounts> counts) {
        take(new CellKey(operation, ActivityLog.ALL_TENANTS), from.others, counts);
        from.tenants.forEach((tenant, cell) -> take(new CellKey(operation, tenant), cell, counts));
    }

    private void retireTenants(String operation, OperationCells from) {
        List<String> idle = new ArrayList<>();
        from.tenants.forEach((tenant, cell) -> {
            if (cell.idleRounds() >= IDLE) {
                idle.add(tenant);
            }
        });
        idle.forEach(tenant -> retire(operation, from, tenant));
    }

    private void retire(String operation, OperationCells from, String tenant) {
        ActivityCell cell = from.tenants.remove(tenant);
        if (cell != null) {
            cells.decrementAndGet();
            retired.put(new CellKey(operation, tenant), cell);
        }
    }

    private static void take(CellKey key, ActivityCell cell, Map<CellKey, ActivityCounts> counts) {
        ActivityCounts taken = cell.take();
        if (!taken.counts().isEmpty()) {
            counts.merge(key, taken, ActivityCounts::plus);
        }
    }
}
