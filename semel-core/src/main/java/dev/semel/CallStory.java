package dev.semel;

import java.util.List;

/**
 * All that one correlation id caused: the calls and messages that were made under it, and what their handlers sent.
 *
 * @param calls a call or message stands before those that its handler sent, and these stand in the order of their sends;
 *     {@link CallStatus.CallName#sentBy} says whose they are. Empty when there is nothing, or nothing any more
 * @param cut whether there is more than is listed
 */
public record CallStory(String correlationId, List<CallStatus> calls, boolean cut) {
    public CallStory {
        calls = List.copyOf(calls);
    }
}
