package dev.semel.testkit.fault;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import java.net.SocketException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Where a call meets its fault. */
record FaultPoint(Faults faults) {
    <T> T pass(StoreCall call, Supplier<T> action) {
        Faults.Fault fault = faults.at(call);
        switch (fault) {
            case FAIL_BEFORE -> throw unavailable(call);
            case UNKNOWN -> throw unknown(call);
            case NONE, FAIL_AFTER, LOSE_REPLY -> {}
        }
        T answer = action.get();
        faults.done(call);
        switch (fault) {
            case FAIL_AFTER -> throw unavailable(call);
            case LOSE_REPLY -> throw unknown(call);
            default -> {
                return answer;
            }
        }
    }

    /** As {@link #pass} for a batch, without those of its items that are refused: they are answered for themselves. */
    <I, O> List<O> each(
            StoreCall call,
            List<I> batch,
            Function<I, @Nullable RecordId> data,
            Function<List<I>, List<O>> action,
            Function<SemelException.DataRefused, O> refused) {
        List<O> answers = new ArrayList<>();
        List<I> rest = new ArrayList<>();
        for (I item : batch) {
            RecordId id = data.apply(item);
            boolean bad = id != null && faults.refuses(call, id);
            answers.add(bad ? refused.apply(refusal(call, id)) : null);
            if (!bad) {
                rest.add(item);
            }
        }
        Iterator<O> done = pass(call, () -> action.apply(rest)).iterator();
        answers.replaceAll(answer -> answer == null ? done.next() : answer);
        return answers;
    }

    /** Without those of a batch whose records are locked: they are answered for themselves. */
    <I, O> List<O> unlocked(
            StoreCall call, List<I> batch, Function<I, RecordId> record, O locked, Function<List<I>, List<O>> action) {
        List<Boolean> free = batch.stream()
                .map(item -> !faults.locks(call, record.apply(item)))
                .toList();
        List<I> rest = IntStream.range(0, batch.size())
                .filter(free::get)
                .mapToObj(batch::get)
                .toList();
        Iterator<O> done = rest.isEmpty()
                ? Collections.emptyIterator()
                : action.apply(rest).iterator();
        return free.stream().map(each -> each ? done.next() : locked).toList();
    }

    void demandUnlocked(StoreCall call, RecordId record) {
        if (faults.locks(call, record)) {
            throw new SemelException.Locked("record " + record + ": a fault was injected at " + call
                    + ": it is locked by another transaction that has not ended; nothing was written.");
        }
    }

    /** For what is written in a transaction, which an error ends. */
    void demandData(StoreCall call, @Nullable RecordId id) {
        if (id != null && faults.refuses(call, id)) {
            throw refusal(call, id);
        }
    }

    private static SemelException.DataRefused refusal(StoreCall call, RecordId id) {
        return new SemelException.DataRefused(
                "record " + id + ": a fault was injected at " + call + ": the store rejected its data.",
                new SQLException("injected", "22021"));
    }

    static SemelException unavailable(StoreCall call) {
        return new SemelException.StoreUnavailable("A fault was injected at " + call + ": the store is unavailable.");
    }

    static SemelException unknown(StoreCall call) {
        return new SemelException.OutcomeUnknown(
                "A fault was injected at " + call + ": the outcome is unknown. Repeat the call.",
                new SocketException("injected"));
    }
}
