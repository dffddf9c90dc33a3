package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.CommitRefused;
import dev.semel.store.Landing;
import dev.semel.store.Opening;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Many direct atomic calls in one transaction: one statement to lock and look up, one to write. The first of equal calls
 * executes, the rest replay. If anything does not go smoothly the batch is rolled back and the calls are run one by one.
 */
public final class AtomicBatch {
    private final Environment environment;
    private final AtomicRunner single;

    public AtomicBatch(Environment environment, AtomicRunner single) {
        this.environment = environment;
        this.single = single;
    }

    public <P, R> List<Answer<R>> run(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        return Batches.run(
                environment,
                operation,
                calls,
                (part, spans) ->
                        Nesting.current(environment) != null ? Map.of() : together(operation, part, handler, spans),
                (call, span) -> single.run(operation, call, handler, span));
    }

    /** A call of the batch that this process leads. */
    private record Item<P, R>(int place, Asked<P, R> asked, Flights.Flight flight) {}

    /** A result that the transaction will make final. */
    private record Done<R>(@Nullable R result, Landing landing, Set<String> sent) {}

    private <P, R> Map<Integer, Answer<R>> together(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler, Spans spans) {
        Map<Integer, Answer<R>> answered = new HashMap<>();
        Map<RecordId, Item<P, R>> items = new LinkedHashMap<>();
        long version = 0;
        try {
            for (int i = 0; i < calls.size(); i++) {
                try {
                    Asked<P, R> asked = new Asked<>(environment, operation, calls.get(i)).under(spans.at(i));
                    ModesView.Reading modes = asked.modes(environment);
                    version = items.isEmpty() ? modes.version() : version;
                    boolean together = modes.mode() == Mode.LIVE
                            && modes.version() == version
                            && !asked.late(environment)
                            && !items.containsKey(asked.identity().lock());
                    if (together) {
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
                answered.putAll(commit(version, List.copyOf(items.values()), handler));
            }
        } finally {
            items.values().forEach(item -> environment.memory().flights().end(item.asked(), item.flight()));
        }
        return answered;
    }

    private <P, R> Map<Integer, Answer<R>> commit(long version, List<Item<P, R>> items, AtomicHandler<P, R> handler) {
        Together<P, R> together = new Together<>(items, handler);
        try {
            boolean whole = AtomicRunner.checked(() -> AtomicRunner.transactions(environment.store())
                    .run(tx -> together.in(tx, version) ? Ended.keep(true) : Ended.undo(false)));
            return whole ? together.committed() : Map.of();
        } catch (SemelException.LeaseLost | SemelException.DataRefused | CommitRefused e) {
            return Map.of();
        } catch (SemelException.OutcomeUnknown e) {
            return together.unknown();
        }
    }

    /** The calls in their transaction, which may be run more than once. */
    private final class Together<P, R> {
        private final List<Item<P, R>> items;
        private final AtomicHandler<P, R> handler;
        private final Map<Item<P, R>, Done<R>> done = new LinkedHashMap<>();
        private final Map<Item<P, R>, Supplier<Answer<R>>> found = new LinkedHashMap<>();

        Together(List<Item<P, R>> items, AtomicHandler<P, R> handler) {
            this.items = items;
            this.handler = handler;
        }

        /** Says whether every call that was free has run; those that are locked or due are left to run alone. */
        boolean in(Tx tx, long version) {
            done.clear();
            found.clear();
            long since = environment.time().nanos();
            List<Opening> openings = tx.open(
                    version, items.stream().map(item -> item.asked().identity()).toList());
            if (openings.stream().anyMatch(Opening.Free.class::isInstance)) {
                environment.modes().confirmed(version, since);
            }
            for (int i = 0; i < items.size(); i++) {
                Item<P, R> item = items.get(i);
                if (openings.get(i) instanceof Opening.Found there) {
                    Answers<R> answers = new Answers<>(environment, item.asked());
                    Answer<R> answer = answers.of(there.row(), there.now());
                    if (answer != null) {
                        found.put(item, () -> answers.told(answer, item.asked().id()));
                    }
                } else if (openings.get(i) instanceof Opening.Free) {
                    if (i > 0 && !environment.modes().isStill(tx, version)) {
                        return false;
                    }
                    AtomicAttempt<P, R> attempt = new AtomicAttempt<>(environment, item.asked(), handler);
                    if (!(attempt.handled(tx, 1) instanceof AtomicAttempt.Handled.Returned<R> returned)) {
                        return false;
                    }
                    Landing landing = attempt.landing(null, 1, returned.snapshot());
                    done.put(item, new Done<>(returned.result(), landing, attempt.sent()));
                }
            }
            tx.land(done.values().stream().map(Done::landing).toList());
            return true;
        }

        Map<Integer, Answer<R>> committed() {
            Map<Integer, Answer<R>> answers = told();
            done.forEach((item, result) -> {
                AtomicRunner.committed(
                        environment,
                        item.asked(),
                        item.flight(),
                        result.landing().outcome().result());
                environment.memory().bells().ring(result.sent());
                answers.put(item.place(), new Answers<>(environment, item.asked()).executed(result.result()));
            });
            return answers;
        }

        Map<Integer, Answer<R>> unknown() {
            Map<Integer, Answer<R>> answers = told();
            done.keySet()
                    .forEach(item -> answers.put(item.place(), new Answers<>(environment, item.asked()).uncommitted()));
            return answers;
        }

        private Map<Integer, Answer<R>> told() {
            Map<Integer, Answer<R>> answers = new HashMap<>();
            found.forEach((item, told) -> answers.put(item.place(), told.get()));
            return answers;
        }
    }
}
