package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Landing;
import dev.semel.store.Opening;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Many direct atomic calls in one transaction: one statement to lock and look up, one to write. The first of equal calls
 * executes, the rest replay. If anything does not go smoothly the batch is rolled back and the calls are run one by one.
 */
public final class AtomicBatch {
    private static final int LARGEST = 512;

    private final Environment environment;
    private final AtomicRunner single;

    public AtomicBatch(Environment environment, AtomicRunner single) {
        this.environment = environment;
        this.single = single;
    }

    public <P, R> List<Answer<R>> run(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        List<Answer<R>> answers = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i += LARGEST) {
            List<Call<P>> chunk = calls.subList(i, Math.min(calls.size(), i + LARGEST));
            answers.addAll(chunk(operation, chunk, handler));
        }
        return answers;
    }

    private <P, R> List<Answer<R>> chunk(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        boolean alone = calls.size() == 1 || Nesting.current(environment) != null;
        Map<Integer, Answer<R>> answered = alone ? Map.of() : together(operation, calls, handler);
        List<Answer<R>> answers = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            Answer<R> answer = answered.get(i);
            answers.add(answer != null ? answer : single.run(operation, calls.get(i), handler));
        }
        return answers;
    }

    /** A call of the batch that this process leads. */
    private record Item<P, R>(int place, Asked<P, R> asked, Flights.Flight flight) {}

    /** A result that the transaction will make final. */
    private record Done<R>(@Nullable R result, Landing landing) {}

    private <P, R> Map<Integer, Answer<R>> together(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        Map<Integer, Answer<R>> answered = new HashMap<>();
        Map<RecordId, Item<P, R>> items = new LinkedHashMap<>();
        try {
            for (int i = 0; i < calls.size(); i++) {
                try {
                    Asked<P, R> asked = new Asked<>(environment, operation, calls.get(i));
                    if (!items.containsKey(asked.identity().lock())) {
                        Flights.Flight flight = environment.memory().flights().tryLead(asked);
                        if (flight != null) {
                            items.put(asked.identity().lock(), new Item<>(i, asked, flight));
                        }
                    }
                } catch (SemelException.Invalid e) {
                    answered.put(
                            i,
                            Answers.rejected(Preparation.correlationId(calls.get(i)), String.valueOf(e.getMessage())));
                }
            }
            if (!items.isEmpty()) {
                answered.putAll(commit(List.copyOf(items.values()), handler));
            }
        } finally {
            items.values().forEach(item -> environment.memory().flights().end(item.asked(), item.flight()));
        }
        return answered;
    }

    private <P, R> Map<Integer, Answer<R>> commit(List<Item<P, R>> items, AtomicHandler<P, R> handler) {
        Map<Item<P, R>, Done<R>> done = new LinkedHashMap<>();
        Map<Integer, Answer<R>> answered = new HashMap<>();
        try {
            boolean whole = AtomicRunner.checked(() -> AtomicRunner.transactions(environment.store())
                    .run(tx -> {
                        done.clear();
                        answered.clear();
                        return run(tx, items, handler, done, answered) ? Ended.keep(true) : Ended.undo(false);
                    }));
            if (!whole) {
                return Map.of();
            }
        } catch (SemelException.LeaseLost e) {
            return Map.of();
        }
        items.forEach(item -> answered.computeIfPresent(
                item.place(),
                (place, answer) -> new Answers<>(environment, item.asked())
                        .told(answer, item.asked().id())));
        done.forEach((item, result) -> {
            byte[] snapshot = result.landing().outcome().result();
            Asked<P, R> asked = item.asked();
            item.flight().landed(new Flights.Landed(asked.header().fingerprint(), snapshot));
            environment
                    .memory()
                    .snapshots()
                    .put(
                            asked.id(),
                            asked.header().fingerprint(),
                            snapshot,
                            asked.policy().retention().success());
            answered.put(item.place(), new Answers<>(environment, asked).executed(result.result()));
        });
        return answered;
    }

    /** Says whether every call that was free has run; those that were not have their answers, or are left to run alone. */
    private <P, R> boolean run(
            Tx tx,
            List<Item<P, R>> items,
            AtomicHandler<P, R> handler,
            Map<Item<P, R>, Done<R>> done,
            Map<Integer, Answer<R>> answered)
            throws Exception {
        Asked<P, R> first = items.get(0).asked();
        ModesView.Reading modes =
                environment.modes().of(first.header().tenant(), first.header().operation());
        List<Identity> identities =
                items.stream().map(item -> item.asked().identity()).toList();
        List<Opening> openings = tx.open(modes.version(), identities);
        for (int i = 0; i < items.size(); i++) {
            Item<P, R> item = items.get(i);
            Opening opening = openings.get(i);
            if (opening instanceof Opening.Found found) {
                Answer<R> answer = new Answers<>(environment, item.asked()).of(found.row(), found.now());
                if (answer != null) {
                    answered.put(item.place(), answer);
                }
            } else if (opening instanceof Opening.Free && isLive(item.asked(), modes.version())) {
                AtomicAttempt<P, R> attempt = new AtomicAttempt<>(environment, item.asked(), handler);
                if (!(attempt.handled(tx, 1) instanceof AtomicAttempt.Handled.Returned<R> returned)) {
                    return false;
                }
                done.put(item, new Done<>(returned.result(), attempt.landing(null, 1, returned.snapshot())));
            }
        }
        tx.land(done.values().stream().map(Done::landing).toList());
        return true;
    }

    private boolean isLive(Asked<?, ?> asked, long version) {
        ModesView.Reading modes =
                environment.modes().of(asked.header().tenant(), asked.header().operation());
        return modes.mode() == Mode.LIVE && modes.version() == version && !asked.late(environment);
    }
}
