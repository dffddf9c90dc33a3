package dev.semel.console.live;

import java.util.List;

/** Where the events of one stream come from. It is called by one thread at a time. */
@FunctionalInterface
public interface LiveSource {
    /**
     * What is new since the last call, oldest first; empty when nothing is. It is called about once a second while the client reads, so
     * it may ask the store but must not wait for anything else.
     */
    List<LiveEvent> poll();
}
