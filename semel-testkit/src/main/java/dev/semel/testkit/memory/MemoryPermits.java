package dev.semel.testkit.memory;

import dev.semel.store.Permits;
import java.util.List;

final class MemoryPermits implements Permits {
    private static final long NANOS = 1_000_000;

    private final MemoryState state;

    MemoryPermits(MemoryState state) {
        this.state = state;
    }

    @Override
    public Taken take(Take take) {
        return state.locked(() -> {
            List<String> bucket = List.of(take.operation(), take.tenant());
            Taken taken = take.from(state.permits.getOrDefault(bucket, 0L), state.now() * NANOS);
            state.permits.put(bucket, taken.usedUntil());
            return taken;
        });
    }

    @Override
    public int removeFull() {
        return state.locked(() -> {
            int before = state.permits.size();
            state.permits.values().removeIf(usedUntil -> usedUntil <= state.now() * NANOS);
            return before - state.permits.size();
        });
    }
}
