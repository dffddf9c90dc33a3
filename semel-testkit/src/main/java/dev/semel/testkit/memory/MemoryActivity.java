package dev.semel.testkit.memory;

import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.ActivitySums;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

final class MemoryActivity implements ActivityLog {
    private static final Comparator<ActivityRow> BY_KEY = Comparator.comparing(ActivityRow::step)
            .thenComparing(ActivityRow::tenant)
            .thenComparing(ActivityRow::began)
            .thenComparing(ActivityRow::operation)
            .thenComparing(ActivityRow::node);

    private final MemoryState state;
    private final TreeMap<ActivityRow, ActivityRow> rows = new TreeMap<>(BY_KEY);

    MemoryActivity(MemoryState state) {
        this.state = state;
    }

    @Override
    public void write(List<ActivityRow> batch) {
        state.locked(() -> {
            batch.forEach(row -> rows.put(row, row));
            return null;
        });
    }

    @Override
    public List<ActivityRow> read(ActivityStep step, String tenant, long from, long until) {
        ActivitySums sums = new ActivitySums();
        return state.locked(() -> {
            rows.values().stream()
                    .filter(row -> row.step() == step && row.tenant().equals(tenant))
                    .filter(row -> row.began() >= from && row.began() < until)
                    .forEach(sums::add);
            return sums.rows();
        });
    }

    @Override
    public OptionalLong oldest(ActivityStep step, String tenant) {
        return state.locked(() -> rows.values().stream()
                .filter(row -> row.step() == step && row.tenant().equals(tenant))
                .mapToLong(ActivityRow::began)
                .min());
    }

    @Override
    public int purge(ActivityStep step, long before, int limit) {
        return state.locked(() -> {
            List<ActivityRow> old = rows.values().stream()
                    .filter(row -> row.step() == step && row.began() < before)
                    .limit(limit)
                    .toList();
            old.forEach(rows::remove);
            return old.size();
        });
    }
}
