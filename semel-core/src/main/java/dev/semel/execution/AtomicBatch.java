package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.audit.FirstRun;
import dev.semel.store.CommitRefused;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Many direct atomic calls in one transaction: one statement to lock and look up, one to write. The first of equal calls
 * executes, the rest replay. If anything does not go smoothly the batch is rolled back and the calls are run one by one.
 */
public final class AtomicBatch {
    private final EngineServices services;
    private final AtomicCalls single;

    public AtomicBatch(EngineServices services, AtomicCalls single) {
        this.services = services;
        this.single = single;
    }

    public <P, R> List<Answer<R>> run(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        return Batches.run(
                services.watch(),
                operation,
                calls,
                (part, spans) -> EnclosingRun.current(services.sender()) != null || Batches.isOneByOne(operation)
                        ? Map.of()
                        : together(operation, part, handler, spans),
                (call, span) -> single.run(operation, call, handler, span));
    }

    /** A result that the transaction will make final. */
    private record Done<R>(@Nullable R result, RecordWrite write) {}

    private <P, R> Map<Integer, Answer<R>> together(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler, CallSpans spans) {
        SameModes modes = new SameModes();
        try (AdmittedBatch<P, R> batch = AdmittedBatch.of(
                services.preparation(), services.memory().inFlight(), operation, calls, spans, modes::allow)) {
            Map<Integer, Answer<R>> answered = new HashMap<>(batch.rejected());
            if (!batch.items().isEmpty()) {
                answered.putAll(commit(modes.version, batch.items(), handler));
            }
            return answered;
        }
    }

    /** One transaction is checked against one version of the modes: that of its first call. */
    private final class SameModes {
        private long version = Transactions.ANY_MODES;

        boolean allow(PreparedCall<?, ?> prepared) {
            CurrentModes.Reading modes = services.modes().of(prepared);
            if (version == Transactions.ANY_MODES) {
                version = modes.version();
            }
            return modes.mode() == Mode.LIVE
                    && modes.version() == version
                    && !services.modes().isLate(prepared);
        }
    }

    private <P, R> Map<Integer, Answer<R>> commit(
            long version, List<AdmittedBatch.Item<P, R>> items, AtomicHandler<P, R> handler) {
        BatchTransaction<P, R> together = new BatchTransaction<>(items, handler);
        try {
            boolean whole = StoreExceptions.translated(() -> services.atomic()
                    .transactions()
                    .run(tx -> together.in(tx, version) ? Ended.keep(true) : Ended.undo(false)));
            return whole ? together.committed() : Map.of();
        } catch (SemelException.LeaseLost | SemelException.Locked | SemelException.DataRefused | CommitRefused e) {
            return Map.of();
        } catch (SemelException.OutcomeUnknown e) {
            return together.unknown();
        }
    }

    /** The calls in their transaction, which may be run more than once. */
    private final class BatchTransaction<P, R> {
        private final List<AdmittedBatch.Item<P, R>> items;
        private final AtomicHandler<P, R> handler;
        private final Map<AdmittedBatch.Item<P, R>, Done<R>> done = new LinkedHashMap<>();
        private final Map<AdmittedBatch.Item<P, R>, Supplier<Answer<R>>> found = new LinkedHashMap<>();
        private @Nullable Outbox outbox;

        BatchTransaction(List<AdmittedBatch.Item<P, R>> items, AtomicHandler<P, R> handler) {
            this.items = items;
            this.handler = handler;
        }

        /** Says whether every call that was free has run; those that are locked or due are left to run alone. */
        boolean in(Tx tx, long version) {
            done.clear();
            found.clear();
            Outbox messages = services.atomic().outbox(tx);
            outbox = messages;
            long since = services.modes().nanos();
            List<LookupResult> lookups = tx.lookUp(
                    version,
                    items.stream().map(item -> item.prepared().identity()).toList());
            if (lookups.stream().anyMatch(LookupResult.Free.class::isInstance)) {
                services.modes().confirmed(version, since);
            }
            for (int i = 0; i < items.size(); i++) {
                AdmittedBatch.Item<P, R> item = items.get(i);
                if (lookups.get(i) instanceof LookupResult.Found there) {
                    Answers<R> answers = services.answers().to(item.prepared());
                    Answer<R> answer = answers.of(there.row(), there.now());
                    if (answer != null) {
                        found.put(
                                item,
                                () -> answers.audited(answer, item.prepared().id()));
                    }
                } else if (lookups.get(i) instanceof LookupResult.Free) {
                    if (i > 0 && !services.modes().isStill(tx, version)) {
                        return false;
                    }
                    AtomicInvocation<P, R> invocation = services.atomic().invocation(item.prepared(), handler);
                    tx.beforeHandler();
                    if (!(invocation.invoke(messages, 1) instanceof HandlerOutcome.Returned<R> returned)) {
                        return false;
                    }
                    RecordWrite write = AtomicTransaction.completed(
                            services.audits().events(),
                            item.prepared(),
                            item.prepared().id(),
                            1,
                            returned.snapshot());
                    done.put(item, new Done<>(returned.result(), write));
                }
            }
            try {
                messages.storeWithCommit();
            } catch (SemelException.NotSent e) {
                return false;
            }
            tx.write(done.values().stream().map(Done::write).toList());
            return true;
        }

        Map<Integer, Answer<R>> committed() {
            Map<Integer, Answer<R>> answers = answersOfFound();
            if (outbox != null) {
                outbox.committed();
            }
            done.forEach((item, result) -> {
                services.memory()
                        .results()
                        .committed(
                                item.prepared(),
                                item.leader(),
                                result.write().outcome().result(),
                                FirstRun.NOT_KNOWN);
                answers.put(item.place(), services.answers().to(item.prepared()).executed(result.result()));
            });
            return answers;
        }

        Map<Integer, Answer<R>> unknown() {
            Map<Integer, Answer<R>> answers = answersOfFound();
            done.keySet()
                    .forEach(item -> answers.put(
                            item.place(), services.answers().to(item.prepared()).uncommitted()));
            return answers;
        }

        private Map<Integer, Answer<R>> answersOfFound() {
            Map<Integer, Answer<R>> answers = new HashMap<>();
            found.forEach((item, answer) -> answers.put(item.place(), answer.get()));
            return answers;
        }
    }
}
