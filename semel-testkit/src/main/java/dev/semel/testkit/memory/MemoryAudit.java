package dev.semel.testkit.memory;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

final class MemoryAudit implements AuditLog {
    private final MemoryState state;

    MemoryAudit(MemoryState state) {
        this.state = state;
    }

    @Override
    public void append(List<AuditEntry> entries) {
        state.locked(() -> {
            entries.forEach(entry -> state.append(entry, entry.fence(), entry.attempt()));
            return true;
        });
    }

    @Override
    public List<AuditRow> behindHorizon(AuditRow.Position after, int limit) {
        return state.locked(() -> state.events.tailMap(after.seq(), false).values().stream()
                .limit(limit)
                .toList());
    }

    @Override
    public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
        return state.locked(() -> List.copyOf(
                state.events.subMap(after.seq(), false, upTo.seq(), true).values()));
    }

    @Override
    public List<AuditRow> older(AuditFilter filter, AuditRow.Position before, int limit) {
        return state.locked(() -> state.events.headMap(before.seq(), false).descendingMap().values().stream()
                .filter(row -> filter.matches(row.entry()))
                .limit(limit)
                .toList());
    }

    @Override
    public boolean add(Seal seal) {
        return state.locked(() -> {
            long newest = state.seals.isEmpty() ? 0 : state.seals.lastKey();
            return seal.number() == newest + 1 && state.seals.put(seal.number(), seal) == null;
        });
    }

    @Override
    public Optional<Seal> newestSeal() {
        return state.locked(() -> state.seals.isEmpty()
                ? Optional.empty()
                : Optional.of(state.seals.lastEntry().getValue()));
    }

    @Override
    public List<Seal> seals(long from, int limit) {
        return state.locked(() ->
                state.seals.tailMap(from, true).values().stream().limit(limit).toList());
    }

    @Override
    public Optional<PurgedSegment> purge(long ageMillis, Function<PurgedSegment, AuditEntry> event) {
        return state.locked(() -> {
            if (state.seals.size() < 2) {
                return Optional.empty();
            }
            Seal seal = state.seals.firstEntry().getValue();
            Map<Long, AuditRow> events =
                    state.events.subMap(seal.after().seq(), false, seal.upTo().seq(), true);
            if (events.size() != seal.events()
                    || events.values().stream().anyMatch(row -> row.at() > state.now() - ageMillis)) {
                return Optional.empty();
            }
            PurgedSegment purged = new PurgedSegment(seal);
            AuditEntry entry = event.apply(purged);
            state.append(entry, entry.fence(), entry.attempt());
            events.clear();
            state.seals.remove(seal.number());
            return Optional.of(purged);
        });
    }
}
