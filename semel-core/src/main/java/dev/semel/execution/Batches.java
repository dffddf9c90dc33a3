package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.watch.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Many calls of one operation, part by part: first together, and what that leaves open one by one. */
final class Batches {
    private static final int LARGEST = 512;

    private static final SemelException UNAVAILABLE =
            new SemelException.StoreUnavailable("The store failed another call of the same list.");

    private Batches() {}

    /** Runs what it can of a part's calls together. */
    @FunctionalInterface
    interface SliceRunner<P, R> {
        /** @return the answers that there are, by the places of their calls */
        Map<Integer, Answer<R>> run(List<Call<P>> part, CallSpans spans);
    }

    /** Runs one call. */
    @FunctionalInterface
    interface SingleRunner<P, R> {
        Answer<R> run(Call<P> call, Span span);
    }

    /** Behind a rate limit or a breaker each call is let through by itself, when its turn comes. */
    static boolean isOneByOne(Operation<?, ?> operation) {
        Call.Guards<?> guards = operation.definition().guards();
        return !guards.rateLimit().equals(Channel.RateLimit.NONE)
                || guards.breaker().failurePercent() > 0;
    }

    static <P, R> List<Answer<R>> run(
            CallWatch watch,
            Operation<P, R> operation,
            List<Call<P>> calls,
            SliceRunner<P, R> together,
            SingleRunner<P, R> alone) {
        List<Answer<R>> answers = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i += LARGEST) {
            List<Call<P>> part = calls.subList(i, Math.min(calls.size(), i + LARGEST));
            CallSpans spans = CallSpans.begin(watch, operation, part);
            try {
                new BatchSlice<>(part, spans, answers).run(together, alone);
            } catch (Throwable thrown) {
                spans.broke(thrown);
                throw thrown;
            }
        }
        return answers;
    }

    /**
     * Some of the calls. When the store fails after others of the list have been answered, an exception would hide their
     * answers and say that nothing was run: the calls that it failed, and those behind them, are answered one by one instead.
     */
    private static final class BatchSlice<P, R> {
        private final List<Call<P>> calls;
        private final CallSpans spans;
        private final List<Answer<R>> answers;
        private Map<Integer, Answer<R>> answered = Map.of();
        private boolean away;

        /** @param answers of the parts before this one, to which its own are added */
        BatchSlice(List<Call<P>> calls, CallSpans spans, List<Answer<R>> answers) {
            this.calls = calls;
            this.spans = spans;
            this.answers = answers;
        }

        void run(SliceRunner<P, R> together, SingleRunner<P, R> alone) {
            if (calls.size() > 1) {
                try {
                    answered = together.run(calls, spans);
                } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                    demandAnswers(e);
                }
            }
            for (int i = 0; i < calls.size(); i++) {
                Answer<R> known = away ? answered.getOrDefault(i, notRun(i, UNAVAILABLE)) : answered.get(i);
                answers.add(known == null ? alone(i, alone) : spans.at(i).ended(known));
            }
        }

        private Answer<R> alone(int i, SingleRunner<P, R> alone) {
            try {
                return alone.run(calls.get(i), spans.at(i));
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                demandAnswers(e);
                return notRun(i, e);
            }
        }

        private void demandAnswers(SemelException e) {
            if (answers.isEmpty() && answered.isEmpty()) {
                throw e;
            }
            away = true;
        }

        private Answer<R> notRun(int i, SemelException why) {
            return Answers.notRun(Answers.correlationId(calls.get(i)), why);
        }
    }
}
