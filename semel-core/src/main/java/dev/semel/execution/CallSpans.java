package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.watch.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The spans of a batch of calls; while nobody watches, the same for all batches. */
final class CallSpans {
    private static final CallSpans NONE = new CallSpans(List.of());

    private final List<Span> spans;

    private CallSpans(List<Span> spans) {
        this.spans = spans;
    }

    static <P> CallSpans begin(CallWatch watch, Operation<P, ?> operation, List<Call<P>> calls) {
        Span first = calls.isEmpty() ? Span.NONE : watch.begin(operation, calls.get(0));
        if (first == Span.NONE) {
            return NONE;
        }
        List<Span> spans = new ArrayList<>(List.of(first));
        calls.subList(1, calls.size()).forEach(call -> spans.add(watch.begin(operation, call)));
        return new CallSpans(spans);
    }

    /** Runs a call under its span, which ends with the answer or with the exception. */
    static <R> Answer<R> ended(Span span, Supplier<Answer<R>> call) {
        try {
            return span.ended(call.get());
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    Span at(int place) {
        return spans.isEmpty() ? Span.NONE : spans.get(place);
    }

    /** Ends those that have not ended. */
    void broke(Throwable thrown) {
        spans.forEach(span -> span.broke(thrown));
    }
}
