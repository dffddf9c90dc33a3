package dev.semel.operator;

import dev.semel.Mode;
import dev.semel.store.Queue;
import dev.semel.store.Switchboard.Pause;
import java.util.List;

/**
 * The state of a channel.
 *
 * @param unknown messages that may have taken effect and need a reconciler or a person
 * @param pauses of all tenants or of some
 * @param mode that applies to it for all tenants, or for the tenant of whose messages this tells
 */
public record ChannelState(String operation, Queue.Backlog backlog, long unknown, List<Pause> pauses, Mode mode) {
    public ChannelState {
        pauses = List.copyOf(pauses);
    }
}
