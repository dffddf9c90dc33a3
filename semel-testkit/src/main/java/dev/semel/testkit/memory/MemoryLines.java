package dev.semel.testkit.memory;

import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Line;
import dev.semel.store.Line.Turn;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The records that wait for a worker, in the orders in which claims read them. Updated with every row that is put or
 * removed.
 */
final class MemoryLines {
    /** A record and the time at which it next needs attention, or can be claimed. */
    record Due(long at, RecordId id) {
        static final Comparator<Due> BY_TIME = Comparator.comparingLong(Due::at).thenComparing(Due::id);
    }

    private record Flow(String operation, String tenant, State state) {}

    private final Map<String, NavigableMap<String, Integer>> tenants = new HashMap<>();
    private final Map<Flow, TreeSet<Due>> due = new HashMap<>();
    private final Map<Long, NavigableMap<Long, RecordId>> placed = new HashMap<>();
    private final Map<Long, NavigableMap<Long, RecordId>> arrived = new HashMap<>();
    private final Map<String, Tokens> budgets = new HashMap<>();
    private long places;

    private record Tokens(double left, long at) {}

    long nextPlace() {
        return ++places;
    }

    void added(Row row) {
        Line line = row.line();
        if (line == null) {
            return;
        }
        if (claimable(row, line)) {
            String operation = row.header().operation();
            String tenant = row.header().tenant();
            due.computeIfAbsent(new Flow(operation, tenant, row.state()), flow -> new TreeSet<>(Due.BY_TIME))
                    .add(new Due(row.status().at(), row.id()));
            tenants.computeIfAbsent(operation, any -> new TreeMap<>()).merge(tenant, 1, Integer::sum);
        }
        NavigableMap<Long, RecordId> places = places(line);
        if (places != null) {
            places.put(line.place(), row.id());
        }
    }

    void removed(Row row) {
        Line line = row.line();
        if (line == null) {
            return;
        }
        if (claimable(row, line)) {
            String operation = row.header().operation();
            String tenant = row.header().tenant();
            due.get(new Flow(operation, tenant, row.state()))
                    .remove(new Due(row.status().at(), row.id()));
            tenants.get(operation).computeIfPresent(tenant, (any, count) -> count == 1 ? null : count - 1);
        }
        NavigableMap<Long, RecordId> places = places(line);
        if (places != null) {
            places.remove(line.place());
        }
    }

    private static boolean claimable(Row row, Line line) {
        return (row.state() == State.QUEUED || row.state() == State.FAILED_RETRYABLE)
                && line.turn() != Turn.WAITING
                && line.turn() != Turn.OUT;
    }

    private @Nullable NavigableMap<Long, RecordId> places(Line line) {
        if (line.lane() == null) {
            return null;
        }
        return switch (line.turn()) {
            case HEAD, WAITING -> placed.computeIfAbsent(line.lane().number(), any -> new TreeMap<>());
            case ARRIVED -> arrived.computeIfAbsent(line.lane().number(), any -> new TreeMap<>());
            default -> null;
        };
    }

    /** The tenants that have something to claim from, now or later, in the order of their names after the one given. */
    List<String> tenants(String operation, String after) {
        NavigableMap<String, Integer> known = tenants.getOrDefault(operation, new TreeMap<>());
        List<String> order = new ArrayList<>(known.tailMap(after, false).keySet());
        order.addAll(known.headMap(after, true).keySet());
        return order;
    }

    /** The records that a claim can start with, longest due first. */
    List<RecordId> due(String operation, String tenant, State state, long now, int limit) {
        return due.getOrDefault(new Flow(operation, tenant, state), new TreeSet<>(Due.BY_TIME)).stream()
                .takeWhile(each -> each.at() <= now)
                .limit(limit)
                .map(Due::id)
                .toList();
    }

    int waiting(String operation) {
        return tenants.getOrDefault(operation, new TreeMap<>()).values().stream()
                .mapToInt(count -> count)
                .sum();
    }

    List<RecordId> placed(long lane, int limit) {
        return first(placed, lane, limit);
    }

    List<RecordId> arrived(long lane, int limit) {
        return first(arrived, lane, limit);
    }

    private static List<RecordId> first(Map<Long, NavigableMap<Long, RecordId>> lanes, long lane, int limit) {
        return lanes.getOrDefault(lane, new TreeMap<>()).values().stream()
                .limit(limit)
                .toList();
    }

    /** The heads of all lanes that have somebody in them. */
    List<RecordId> heads() {
        return placed.values().stream()
                .filter(lane -> !lane.isEmpty())
                .map(lane -> lane.firstEntry().getValue())
                .toList();
    }

    /** How many retries the budget leaves at this moment. */
    int retriesLeft(String operation, Claim.Budget budget, long now) {
        return budget.perSecond() == 0 ? Integer.MAX_VALUE : (int) tokens(operation, budget, now);
    }

    void spent(String operation, Claim.Budget budget, long now, int retries) {
        if (budget.perSecond() > 0) {
            budgets.put(operation, new Tokens(tokens(operation, budget, now) - retries, now));
        }
    }

    private double tokens(String operation, Claim.Budget budget, long now) {
        Tokens known = budgets.getOrDefault(operation, new Tokens(budget.perSecond(), now));
        double refilled = known.left + Math.max(0, now - known.at) / 1000.0 * budget.perSecond();
        return Math.min(budget.perSecond(), refilled);
    }
}
