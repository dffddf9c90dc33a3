package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.watch.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Many calls of one operation, part by part: first together, and what that leaves open one by one. */
final class Batches {
    private static final int LARGEST = 512;

    private Batches() {}

    /** Runs what it can of a part's calls together. */
    @FunctionalInterface
    interface Together<P, R> {
        /** @return the answers that there are, by the places of their calls */
        Map<Integer, Answer<R>> run(List<Call<P>> part, Spans spans);
    }

    /** Runs one call. */
    @FunctionalInterface
    interface Alone<P, R> {
        Answer<R> run(Call<P> call, Span span);
    }

    static <P, R> List<Answer<R>> run(
            Environment environment,
            Operation<P, R> operation,
            List<Call<P>> calls,
            Together<P, R> together,
            Alone<P, R> alone) {
        List<Answer<R>> answers = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i += LARGEST) {
            List<Call<P>> part = calls.subList(i, Math.min(calls.size(), i + LARGEST));
            Spans spans = Spans.begin(environment, operation, part);
            try {
                run(part, spans, together, alone, answers);
            } catch (Throwable thrown) {
                spans.broke(thrown);
                throw thrown;
            }
        }
        return answers;
    }

    private static <P, R> void run(
            List<Call<P>> part, Spans spans, Together<P, R> together, Alone<P, R> alone, List<Answer<R>> answers) {
        Map<Integer, Answer<R>> answered = part.size() == 1 ? Map.of() : together.run(part, spans);
        for (int i = 0; i < part.size(); i++) {
            Answer<R> answer = answered.get(i);
            answers.add(answer != null ? spans.at(i).ended(answer) : alone.run(part.get(i), spans.at(i)));
        }
    }
}
