package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.key.RecordId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Prepare and admit for a batch: the calls that this process leads, each record once. Calls that are not admitted run by
 * themselves afterwards. To be closed when the batch ends.
 */
final class AdmittedBatch<P, R> implements AutoCloseable {
    private final CallPreparation preparation;
    private final InFlightCalls inFlight;
    private final Map<RecordId, Item<P, R>> items = new LinkedHashMap<>();
    private final Map<Integer, Answer<R>> rejected = new HashMap<>();

    /** @param place of the call in its batch */
    record Item<P, R>(int place, PreparedCall<P, R> prepared, InFlightCalls.Leader leader) {}

    private AdmittedBatch(CallPreparation preparation, InFlightCalls inFlight) {
        this.preparation = preparation;
        this.inFlight = inFlight;
    }

    /** @param together whether a call may run with the others */
    static <P, R> AdmittedBatch<P, R> of(
            CallPreparation preparation,
            InFlightCalls inFlight,
            Operation<P, R> operation,
            List<Call<P>> calls,
            CallSpans spans,
            Predicate<PreparedCall<P, R>> together) {
        AdmittedBatch<P, R> batch = new AdmittedBatch<>(preparation, inFlight);
        try {
            for (int i = 0; i < calls.size(); i++) {
                batch.admit(i, operation, calls.get(i), spans, together);
            }
            return batch;
        } catch (Throwable e) {
            batch.close();
            throw e;
        }
    }

    private void admit(
            int place,
            Operation<P, R> operation,
            Call<P> call,
            CallSpans spans,
            Predicate<PreparedCall<P, R>> together) {
        PreparedCall<P, R> prepared;
        try {
            prepared = preparation.prepare(operation, call).withSpan(spans.at(place));
        } catch (SemelException.Invalid e) {
            rejected.put(place, Answers.rejected(call, e));
            return;
        }
        RecordId lock = prepared.identity().lock();
        InFlightCalls.Leader leader =
                items.containsKey(lock) || !together.test(prepared) ? null : inFlight.tryLead(prepared);
        if (leader != null) {
            items.put(lock, new Item<>(place, prepared, leader));
        }
    }

    List<Item<P, R>> items() {
        return new ArrayList<>(items.values());
    }

    /** The calls that could not be prepared, with their answers. */
    Map<Integer, Answer<R>> rejected() {
        return rejected;
    }

    @Override
    public void close() {
        items.values().forEach(item -> inFlight.end(item.leader()));
    }
}
