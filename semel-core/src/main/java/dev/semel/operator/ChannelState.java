package dev.semel.operator;

import dev.semel.Mode;
import dev.semel.store.Queue;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Pause;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How a channel stands.
 *
 * @param pauses of all tenants or of some
 * @param mode that applies to it whoever the tenant is
 */
public record ChannelState(String operation, Queue.Backlog backlog, List<Pause> pauses, Mode mode) {
    public ChannelState {
        pauses = List.copyOf(pauses);
    }

    static Set<String> names(Store store) {
        Set<String> names = new TreeSet<>();
        store.queue().ifPresent(queue -> names.addAll(queue.operations()));
        store.switchboard().modes().pauses().forEach(pause -> names.add(pause.operation()));
        return names;
    }

    /** Those of which something waits, runs or holds a lane up, and those that are paused. */
    static List<ChannelState> all(Store store) {
        Switchboard.Modes modes = store.switchboard().modes();
        List<ChannelState> states = new ArrayList<>();
        for (String name : names(store)) {
            Queue.Backlog backlog =
                    store.queue().map(queue -> queue.backlog(name)).orElse(new Queue.Backlog(0, Status.NEVER, 0));
            List<Pause> pauses = modes.pauses().stream()
                    .filter(pause -> pause.operation().equals(name))
                    .toList();
            states.add(new ChannelState(name, backlog, pauses, modes.ofAll(name)));
        }
        return states;
    }
}
