package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.LeasedHandler;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Many leased calls: granted in one commit, run one after the other, finished in one commit. Whatever is not granted, or
 * does not return, goes the way of a single call.
 */
public final class LeasedBatch {
    private final EngineServices services;
    private final LeasedRunner single;

    public LeasedBatch(EngineServices services, LeasedRunner single) {
        this.services = services;
        this.single = single;
    }

    public <P, R> List<Answer<R>> run(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler) {
        return Batches.run(
                services,
                operation,
                calls,
                (part, spans) -> together(operation, part, handler, spans),
                (call, span) -> single.run(operation, call, handler, span));
    }

    private record Item<P, R>(int place, PreparedCall<P, R> prepared, InFlightCalls.Flight flight) {}

    private record Ran<P, R>(
            Item<P, R> item, LeasedRun<P, R> run, Reserved.Granted granted, LeasedRun.Ran.Returned<R> returned) {}

    private <P, R> Map<Integer, Answer<R>> together(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler, CallSpans spans) {
        Map<Integer, Answer<R>> answered = new HashMap<>();
        Map<RecordId, Item<P, R>> items = new LinkedHashMap<>();
        try {
            for (int i = 0; i < calls.size(); i++) {
                try {
                    PreparedCall<P, R> prepared =
                            new PreparedCall<>(services, operation, calls.get(i)).under(spans.at(i));
                    RecordId lock = prepared.identity().lock();
                    InFlightCalls.Flight flight = items.containsKey(lock) || !isLive(prepared)
                            ? null
                            : services.memory().inFlight().tryLead(prepared);
                    if (flight != null) {
                        items.put(lock, new Item<>(i, prepared, flight));
                    }
                } catch (SemelException.Invalid e) {
                    answered.put(
                            i,
                            Answers.rejected(Preparation.correlationId(calls.get(i)), String.valueOf(e.getMessage())));
                }
            }
            if (!items.isEmpty() && Nesting.current(services) == null) {
                answered.putAll(granted(List.copyOf(items.values()), handler));
            }
        } finally {
            items.values().forEach(item -> services.memory().inFlight().end(item.prepared(), item.flight()));
        }
        return answered;
    }

    private boolean isLive(PreparedCall<?, ?> prepared) {
        return prepared.modes(services).mode() == Mode.LIVE && !prepared.late(services);
    }

    private <P, R> Map<Integer, Answer<R>> granted(List<Item<P, R>> items, LeasedHandler<P, R> handler) {
        List<Reserved> reserved = services.ledger()
                .reserveAll(
                        items.get(0).prepared().modes(services).version(),
                        items.stream()
                                .map(item -> single.reservation(item.prepared()))
                                .toList());
        Map<Integer, Answer<R>> answered = new HashMap<>();
        // Every lease is renewed until the batch is finished: the last call may wait long for its turn.
        Map<Item<P, R>, Held<P, R>> granted = hold(items, reserved, handler);
        try {
            List<Ran<P, R>> returned = new ArrayList<>();
            try {
                for (int i = 0; i < items.size(); i++) {
                    Item<P, R> item = items.get(i);
                    Held<P, R> held = granted.get(item);
                    try {
                        if (held != null) {
                            run(item, held, returned, answered);
                        } else {
                            notGranted(item, reserved.get(i), answered);
                        }
                    } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                        answered.put(
                                item.place(), Answers.notRun(item.prepared().correlationId(), e));
                    }
                }
            } finally {
                // Whatever another call met: what ran is finished.
                finish(returned, answered);
            }
        } finally {
            granted.values().forEach(held -> held.lease().close());
        }
        return answered;
    }

    private <P, R> void notGranted(Item<P, R> item, Reserved reserved, Map<Integer, Answer<R>> answered) {
        PreparedCall<P, R> prepared = item.prepared();
        if (reserved instanceof Reserved.Failed failed && failed.why() instanceof SemelException.DataRefused refused) {
            answered.put(
                    item.place(), Answers.rejected(prepared.correlationId(), String.valueOf(refused.getMessage())));
        } else if (reserved instanceof Reserved.Failed failed) {
            answered.put(item.place(), Answers.notRun(prepared.correlationId(), failed.why()));
        } else if (reserved instanceof Reserved.Existing existing && prepared.asksFor(existing.row())) {
            answered.put(item.place(), single.existing(prepared, existing, new Answers<>(services, prepared)));
        }
    }

    /** A call that was granted. */
    private record Held<P, R>(LeasedRun<P, R> run, Reserved.Granted grant, LeaseKeeper.Watched lease) {}

    private <P, R> Map<Item<P, R>, Held<P, R>> hold(
            List<Item<P, R>> items, List<Reserved> reserved, LeasedHandler<P, R> handler) {
        Map<Item<P, R>, Held<P, R>> held = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            if (reserved.get(i) instanceof Reserved.Granted grant) {
                PreparedCall<P, R> prepared = items.get(i).prepared();
                LeasedRun<P, R> run = new LeasedRun<>(services, prepared, new Answers<>(services, prepared), handler);
                held.put(items.get(i), new Held<>(run, grant, run.hold(grant)));
            }
        }
        return held;
    }

    private static <P, R> void run(
            Item<P, R> item, Held<P, R> held, List<Ran<P, R>> returned, Map<Integer, Answer<R>> answered) {
        item.flight().becameVisible();
        LeasedRun.Ran<R> ran = held.run().invoke(held.grant(), held.lease());
        if (ran instanceof LeasedRun.Ran.Returned<R> result) {
            returned.add(new Ran<>(item, held.run(), held.grant(), result));
            return;
        }
        held.lease().close();
        Answer<R> answer = held.run().afterThrow(held.grant(), (LeasedRun.Ran.Threw<R>) ran);
        if (answer != null) {
            answered.put(item.place(), answer);
        }
    }

    private <P, R> void finish(List<Ran<P, R>> returned, Map<Integer, Answer<R>> answered) {
        if (returned.isEmpty()) {
            return;
        }
        List<Moved> moved;
        try {
            moved = services.ledger()
                    .moveAll(returned.stream()
                            .map(ran -> ran.run()
                                    .completion(ran.granted(), ran.returned().snapshot()))
                            .toList());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            for (Ran<P, R> ran : returned) {
                answered.put(ran.item().place(), unrecorded(ran));
            }
            return;
        }
        for (int i = 0; i < returned.size(); i++) {
            Ran<P, R> ran = returned.get(i);
            answered.put(ran.item().place(), finished(ran, moved.get(i)));
        }
    }

    private static <R> Answer<R> finished(Ran<?, R> ran, Moved moved) {
        if (moved instanceof Moved.Locked) {
            return unrecorded(ran);
        }
        return moved instanceof Moved.NotStored refused
                ? ran.run().notKept(ran.granted(), ResultNotKept.of(ran.item().prepared(), refused.why()))
                : ran.run()
                        .done(ran.granted(), moved, ran.returned(), ran.item().flight());
    }

    private static <R> Answer<R> unrecorded(Ran<?, R> ran) {
        return ran.run().answers().unknown("It ran, but its end could not be recorded; it is being looked into.");
    }
}
