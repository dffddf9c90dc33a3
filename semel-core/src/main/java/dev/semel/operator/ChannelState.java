package dev.semel.operator;

import dev.semel.Mode;
import dev.semel.store.Queue;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Pause;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of a channel.
 *
 * @param unknown messages that may have taken effect and need a reconciler or a person; counted up to {@link
 *     Queue.Backlog#MOST}
 * @param pauses of all tenants or of some
 * @param mode that applies to it for all tenants
 */
public record ChannelState(String operation, Queue.Backlog backlog, long unknown, List<Pause> pauses, Mode mode) {
    private static final int PAGE = 500;
    private static final int PAGES = 20;

    public ChannelState {
        pauses = List.copyOf(pauses);
    }

    static Set<String> names(Store store) {
        Set<String> names = new TreeSet<>();
        store.queue().ifPresent(queue -> names.addAll(queue.operations()));
        store.switchboard().modes().pauses().forEach(pause -> names.add(pause.operation()));
        names.addAll(ofUnknownMessages(store));
        return names;
    }

    private static Set<String> ofUnknownMessages(Store store) {
        Set<String> names = new TreeSet<>();
        RecordFilter.Cursor behind = RecordFilter.Cursor.START;
        for (int pages = 0; pages < PAGES; pages++) {
            List<Row> page = store.ledger().list(State.UNKNOWN, messages(null), behind, PAGE);
            page.forEach(row -> names.add(row.header().operation()));
            if (page.size() < PAGE) {
                break;
            }
            behind = RecordFilter.Cursor.behind(page.get(PAGE - 1));
        }
        return names;
    }

    private static RecordFilter messages(@Nullable String operation) {
        return new RecordFilter(null, operation, true, Long.MAX_VALUE);
    }

    /** Those of which something waits, runs, is UNKNOWN or holds a lane up, and those that are paused. */
    static List<ChannelState> all(Store store) {
        Switchboard.Modes modes = store.switchboard().modes();
        List<ChannelState> states = new ArrayList<>();
        for (String name : names(store)) {
            Queue.Backlog backlog =
                    store.queue().map(queue -> queue.backlog(name)).orElse(new Queue.Backlog(0, Status.NEVER, 0));
            List<Pause> pauses = modes.pauses().stream()
                    .filter(pause -> pause.operation().equals(name))
                    .toList();
            long unknown = store.ledger()
                    .tally(State.UNKNOWN, messages(name), Queue.Backlog.MOST)
                    .count();
            states.add(new ChannelState(name, backlog, unknown, pauses, modes.ofAll(name)));
        }
        return states;
    }
}
