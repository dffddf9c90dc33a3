package dev.semel.demo;

import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import dev.semel.time.TimeSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of one column of the score: what the sender asked for and saw acknowledged, and what reached the bank. The figures during the run
 * and the judgement at the end are of this log, not of what a process says about itself. Thread-safe.
 */
final class DeliveryLog {
    private final History history;
    private final Map<String, Long> fences = new HashMap<>();
    private final Map<String, Long> arrivals = new HashMap<>();
    private final Map<ShopEvent, Integer> booked = new HashMap<>();
    private final Map<String, Integer> newest = new HashMap<>();
    private final Set<ShopEvent> asked = new HashSet<>();
    private final Set<ShopEvent> acknowledged = new HashSet<>();

    /** Acknowledged, and not booked yet. */
    private final Set<ShopEvent> waiting = new HashSet<>();

    /** Of these, those that were in the memory of a process which has ended. */
    private final Set<ShopEvent> abandoned = new HashSet<>();

    private long calls;
    private long outOfOrder;
    private long repeated;
    private long refused;

    DeliveryLog(String name, TimeSource time) {
        history = History.inMemory(name, time);
    }

    /**
     * A delivery that has reached the bank.
     *
     * @param key what the bank tells repetitions by; null if the sender gave none
     * @param fence 0 if the sender gave none
     */
    record Arrival(ShopEvent event, @Nullable String key, long fence, int attempt, byte[] body) {
        private Grant grant() {
            return new Grant(fence, attempt);
        }
    }

    /** The sender is about to send it; returns the number of the call. */
    synchronized long asks(ShopEvent event) {
        calls++;
        asked.add(event);
        return history.invoke(event.id(), event.body());
    }

    synchronized void acknowledges(ShopEvent event, long call) {
        history.end(event.id(), call, Ending.ACCEPTED, Grant.NONE, null);
        if (acknowledged.add(event) && !booked.containsKey(event)) {
            waiting.add(event);
        }
    }

    /** There was another answer, or none. */
    synchronized void leavesUnanswered(ShopEvent event, long call) {
        history.end(event.id(), call, Ending.UNKNOWN, Grant.NONE, null);
    }

    /**
     * A delivery has begun to arrive, whatever the bank answers. A request under an older fence than the last was delayed on its way: it
     * shows nothing about the order of grants, and is left to {@link #books}.
     */
    synchronized void arrives(Arrival arrival) {
        String id = arrival.event().id();
        if (arrival.fence() > 0 && arrival.fence() >= arrivals.getOrDefault(id, 0L)) {
            arrivals.put(id, arrival.fence());
            long call = history.invoke(id, arrival.body());
            history.start(id, call, arrival.fence(), arrival.attempt());
            history.end(id, call, Ending.BUSY, arrival.grant(), null);
        }
    }

    /** The bank books it, unless its key tells that it has; and not under a fence older than one it has seen. */
    synchronized Reception books(Arrival arrival) {
        Long seen = arrival.key() == null ? null : fences.get(arrival.key());
        Reception reception =
                seen == null ? Reception.APPLIED : arrival.fence() < seen ? Reception.REFUSED : Reception.REPEATED;
        if (arrival.key() != null && reception != Reception.REFUSED) {
            fences.put(arrival.key(), arrival.fence());
        }
        history.append(stamp -> new Event.Delivered(
                stamp,
                arrival.event().id(),
                arrival.grant(),
                History.hash(arrival.body()),
                reception,
                arrival.event().place()));
        switch (reception) {
            case APPLIED -> apply(arrival.event());
            case REPEATED -> repeated++;
            case REFUSED -> refused++;
        }
        return reception;
    }

    private void apply(ShopEvent event) {
        waiting.remove(event);
        abandoned.remove(event);
        if (booked.merge(event, 1, Integer::sum) == 1) {
            int before = newest.getOrDefault(event.lane(), 0);
            outOfOrder += event.number() < before ? 1 : 0;
            newest.put(event.lane(), Math.max(before, event.number()));
        }
    }

    /** The process that forwards from memory has ended: nobody will deliver what it had acknowledged and not forwarded. */
    synchronized void abandonWaiting() {
        abandoned.addAll(waiting);
    }

    /** How the ledger left a webhook. */
    synchronized void left(ShopEvent event, String state) {
        history.append(stamp -> new Event.Left(stamp, event.id(), state, null, false));
    }

    synchronized boolean isDelivered() {
        return waiting.isEmpty();
    }

    /** Whether nothing can be delivered any more by processes that forward from memory. */
    synchronized boolean isSettled() {
        return waiting.size() == abandoned.size();
    }

    /** As it stands while the demo runs: what waits is not lost yet. */
    synchronized Tally tally() {
        return tally(abandoned.size(), waiting.size() - abandoned.size());
    }

    /** At the end, when nothing is delivered any more. */
    synchronized Tally finalTally() {
        return tally(waiting.size(), 0);
    }

    private Tally tally(long lost, long stillWaiting) {
        long doubled = booked.values().stream().mapToLong(times -> times - 1).sum();
        return new Tally(
                new Tally.Traffic(calls, calls - asked.size(), acknowledged.size()),
                new Tally.Outcome(booked.size(), doubled, lost, outOfOrder, stillWaiting),
                new Tally.Repetitions(repeated, refused));
    }

    /** By the rules of every run. */
    synchronized Judgement judge() {
        return HistoryChecker.check(List.copyOf(history.events()));
    }
}
