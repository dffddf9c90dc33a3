package dev.semel.worker;

import dev.semel.store.Ledger;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.Status;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Looks how many messages of each channel wait and since when, for the history of activity. Every node looks, and the history keeps the
 * highest value of a step, so it does not matter how many do. Bounded: two queries, each of which looks at a limited number of records.
 */
public final class WaitingSampler {
    /** Of each state. */
    static final int MOST = 10_000;

    private final Ledger ledger;
    private final ActivityRecorder recorder;

    public WaitingSampler(Ledger ledger, ActivityRecorder recorder) {
        this.ledger = ledger;
        this.recorder = recorder;
    }

    /** To be called a little more often than the shortest step of the history. */
    public void look() {
        StateCensus queued = ledger.census(State.QUEUED, null, Status.NEVER, MOST);
        StateCensus retrying = ledger.census(State.FAILED_RETRYABLE, null, Status.NEVER, MOST);
        Map<String, StateCensus.OperationCount> waiting = new TreeMap<>();
        Stream.of(queued, retrying)
                .flatMap(census -> census.operations().stream())
                .filter(count -> count.queued() > 0)
                .forEach(count -> waiting.merge(count.operation(), count, StateCensus.OperationCount::plus));
        waiting.forEach((channel, count) ->
                recorder.waiting(channel, count.queued(), Math.max(0, queued.now() - count.earliestAt())));
    }
}
