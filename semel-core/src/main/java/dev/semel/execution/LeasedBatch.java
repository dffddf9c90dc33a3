package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.LeasedHandler;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Many leased calls: granted in one commit, run one after the other, finished in one commit. Calls that are not
 * granted, or do not return, are handled as single calls.
 */
public final class LeasedBatch {
    private final EngineServices services;
    private final LeasedCalls single;
    private final LeaseGrants grants;

    public LeasedBatch(EngineServices services, LeasedCalls single) {
        this.services = services;
        this.single = single;
        this.grants = services.grants();
    }

    public <P, R> List<Answer<R>> run(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler) {
        return Batches.run(
                services.watch(),
                operation,
                calls,
                (part, spans) -> Batches.isOneByOne(operation) ? Map.of() : together(operation, part, handler, spans),
                (call, span) -> single.run(operation, call, handler, span));
    }

    private record Finished<P, R>(
            AdmittedBatch.Item<P, R> item,
            LeasedRun<P, R> run,
            Reserved.Granted granted,
            HandlerOutcome.Returned<R> returned) {}

    private <P, R> Map<Integer, Answer<R>> together(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler, CallSpans spans) {
        try (AdmittedBatch<P, R> batch = AdmittedBatch.of(
                services.preparation(), services.memory().inFlight(), operation, calls, spans, this::isLive)) {
            Map<Integer, Answer<R>> answered = new HashMap<>(batch.rejected());
            if (!batch.items().isEmpty() && EnclosingRun.current(services.sender()) == null) {
                answered.putAll(granted(batch.items(), handler));
            }
            return answered;
        }
    }

    private boolean isLive(PreparedCall<?, ?> prepared) {
        return services.modes().of(prepared).mode() == Mode.LIVE
                && !services.modes().isLate(prepared);
    }

    private <P, R> Map<Integer, Answer<R>> granted(List<AdmittedBatch.Item<P, R>> items, LeasedHandler<P, R> handler) {
        List<Reserved> reserved = services.ledger()
                .reserveAll(
                        services.modes().of(items.get(0).prepared()).version(),
                        items.stream()
                                .map(item -> grants.reservation(item.prepared()))
                                .toList());
        Map<Integer, Answer<R>> answered = new HashMap<>();
        // Every lease is renewed until the batch is finished: the last call may wait long for its turn.
        Map<AdmittedBatch.Item<P, R>, GrantedCall<P, R>> granted = hold(items, reserved, handler);
        try {
            List<Finished<P, R>> returned = new ArrayList<>();
            try {
                for (int i = 0; i < items.size(); i++) {
                    AdmittedBatch.Item<P, R> item = items.get(i);
                    GrantedCall<P, R> held = granted.get(item);
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
                // Calls that ran are finished even if another call failed.
                finish(returned, answered);
            }
        } finally {
            granted.values().forEach(held -> held.lease().close());
        }
        return answered;
    }

    private <P, R> void notGranted(AdmittedBatch.Item<P, R> item, Reserved reserved, Map<Integer, Answer<R>> answered) {
        PreparedCall<P, R> prepared = item.prepared();
        if (reserved instanceof Reserved.ReserveFailed failed
                && failed.why() instanceof SemelException.DataRefused refused) {
            answered.put(item.place(), services.answers().to(prepared).rejected(refused));
        } else if (reserved instanceof Reserved.ReserveFailed failed) {
            answered.put(item.place(), Answers.notRun(prepared.correlationId(), failed.why()));
        } else if (reserved instanceof Reserved.Existing existing && prepared.isExactly(existing.row())) {
            answered.put(
                    item.place(),
                    grants.existing(prepared, existing, services.answers().to(prepared)));
        }
    }

    /** A call that was granted. */
    private record GrantedCall<P, R>(LeasedRun<P, R> run, Reserved.Granted grant, LeaseKeeper.Watched lease) {}

    private <P, R> Map<AdmittedBatch.Item<P, R>, GrantedCall<P, R>> hold(
            List<AdmittedBatch.Item<P, R>> items, List<Reserved> reserved, LeasedHandler<P, R> handler) {
        Map<AdmittedBatch.Item<P, R>, GrantedCall<P, R>> held = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            if (reserved.get(i) instanceof Reserved.Granted grant) {
                PreparedCall<P, R> prepared = items.get(i).prepared();
                LeasedRun<P, R> run = services.leased().run(prepared, handler);
                held.put(
                        items.get(i),
                        new GrantedCall<>(run, grant, services.leased().hold(prepared, grant)));
            }
        }
        return held;
    }

    private static <P, R> void run(
            AdmittedBatch.Item<P, R> item,
            GrantedCall<P, R> held,
            List<Finished<P, R>> returned,
            Map<Integer, Answer<R>> answered) {
        item.leader().becameVisible();
        HandlerOutcome<R> outcome = held.run().invoke(held.grant(), held.lease());
        if (outcome instanceof HandlerOutcome.Returned<R> result) {
            returned.add(new Finished<>(item, held.run(), held.grant(), result));
            return;
        }
        held.lease().close();
        Answer<R> answer = held.run().settlement().threw(held.grant(), (HandlerOutcome.Threw<R>) outcome);
        if (answer != null) {
            answered.put(item.place(), answer);
        }
    }

    private <P, R> void finish(List<Finished<P, R>> returned, Map<Integer, Answer<R>> answered) {
        if (returned.isEmpty()) {
            return;
        }
        List<Moved> moved;
        try {
            moved = services.ledger()
                    .moveAll(returned.stream()
                            .map(ran -> ran.run()
                                    .settlement()
                                    .completion(ran.granted(), ran.returned().snapshot()))
                            .toList());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            for (Finished<P, R> ran : returned) {
                answered.put(ran.item().place(), unrecorded(ran));
            }
            return;
        }
        for (int i = 0; i < returned.size(); i++) {
            Finished<P, R> ran = returned.get(i);
            answered.put(ran.item().place(), finished(ran, moved.get(i)));
        }
    }

    private static <R> Answer<R> finished(Finished<?, R> ran, Moved moved) {
        if (moved instanceof Moved.Locked) {
            return unrecorded(ran);
        }
        return moved instanceof Moved.NotStored refused
                ? ran.run()
                        .settlement()
                        .notKept(ran.granted(), ResultNotKept.of(ran.item().prepared(), refused.why()))
                : ran.run()
                        .settlement()
                        .completed(
                                ran.granted(), moved, ran.returned(), ran.item().leader());
    }

    private static <R> Answer<R> unrecorded(Finished<?, R> ran) {
        return ran.run()
                .settlement()
                .answers()
                .unknown("It ran, but its end could not be recorded; it is being looked into.");
    }
}
