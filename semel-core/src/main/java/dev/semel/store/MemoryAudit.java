package dev.semel.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
        return state.locked(() -> seal.number() == state.seals.size() + 1 && state.seals.add(seal));
    }

    @Override
    public Optional<Seal> newestSeal() {
        return state.locked(
                () -> state.seals.isEmpty() ? Optional.empty() : Optional.of(state.seals.get(state.seals.size() - 1)));
    }

    @Override
    public List<Seal> seals(long from, int limit) {
        return state.locked(() -> {
            List<Seal> found = new ArrayList<>();
            for (long number = Math.max(1, from); number <= state.seals.size() && found.size() < limit; number++) {
                found.add(state.seals.get((int) number - 1));
            }
            return found;
        });
    }
}
