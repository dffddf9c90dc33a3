package dev.semel.execution;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Wakes the workers of this process after a commit that queued something. A missed wake-up costs a poll. */
public final class LocalWakeUps {
    private final CopyOnWriteArrayList<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();

    /** Called with the names of the operations that have something new. */
    public void onWake(Consumer<Set<String>> listener) {
        listeners.add(listener);
    }

    /** Wakes the workers of these operations. */
    public void wake(Collection<String> operations) {
        if (!operations.isEmpty()) {
            Set<String> names = Set.copyOf(operations);
            listeners.forEach(listener -> listener.accept(names));
        }
    }
}
