package dev.semel.testkit.memory;

import dev.semel.Mode;
import dev.semel.store.AuditEntry;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class MemorySwitchboard implements Switchboard {
    private final MemoryState state;

    MemorySwitchboard(MemoryState state) {
        this.state = state;
    }

    @Override
    public Modes modes() {
        return state.modes();
    }

    @Override
    public long set(Setting setting, AuditEntry event) {
        return state.locked(() -> {
            state.settings.removeIf(old -> Objects.equals(old.tenant(), setting.tenant())
                    && Objects.equals(old.operation(), setting.operation()));
            if (setting.mode() != Mode.LIVE) {
                state.settings.add(setting);
            }
            state.append(event, event.fence(), event.attempt());
            return ++state.modesVersion;
        });
    }

    @Override
    public long pause(Pause pause, AuditEntry event) {
        return state.locked(() -> {
            end(pause.operation(), pause.tenant());
            state.pauses.add(pause);
            state.append(event, event.fence(), event.attempt());
            return ++state.modesVersion;
        });
    }

    @Override
    public boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
        return state.locked(() -> {
            boolean there = end(operation, tenant);
            if (there) {
                state.append(event, event.fence(), event.attempt());
                state.modesVersion++;
            }
            return there;
        });
    }

    private boolean end(String operation, @Nullable String tenant) {
        return state.pauses.removeIf(old -> old.operation().equals(operation) && Objects.equals(old.tenant(), tenant));
    }

    @Override
    public int epoch() {
        return state.locked(() -> state.epoch);
    }

    @Override
    public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
        return state.locked(() -> {
            state.epoch++;
            List<Row> running = state.all(State.IN_PROGRESS).stream()
                    .filter(row -> !row.isStep())
                    .toList();
            long now = state.now();
            for (Row row : running) {
                Status old = row.status();
                Status status = new Status(State.UNKNOWN, old.fence(), old.attempt(), now, 0, old.owner());
                state.put(MemoryState.with(row, status, row.line()));
                state.append(forRecord.apply(row), old.fence(), old.attempt());
            }
            state.append(adoption, adoption.fence(), adoption.attempt());
            return running.size();
        });
    }
}
