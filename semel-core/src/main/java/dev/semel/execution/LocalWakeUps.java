package dev.semel.execution;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Tells the workers of this process that something was queued. Rung after the commit; a ring that is missed costs a poll. */
public final class LocalWakeUps {
    private final CopyOnWriteArrayList<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();

    /** Called with the names of the operations that have something new. */
    public void onWake(Consumer<Set<String>> listener) {
        listeners.add(listener);
    }

    /** Rings for these operations. */
    public void wake(Collection<String> operations) {
        if (!operations.isEmpty()) {
            Set<String> names = Set.copyOf(operations);
            listeners.forEach(listener -> listener.accept(names));
        }
    }
}
