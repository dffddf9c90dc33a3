package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What leaves for the client once the ledger has spoken: the held response, a stored one, or a refusal. */
final class Reply {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

    private final Config config;
    private final Handling.Asked asked;
    private final HeldResponse held;
    private final Exchange exchange;

    Reply(Config config, Handling.Asked asked, HeldResponse held, Exchange exchange) {
        this.config = config;
        this.asked = asked;
        this.held = held;
        this.exchange = exchange;
    }

    void refuse(Problem problem) throws IOException {
        held.discard();
        config.answering().problems().write(asked.request(), asked.response(), asked.ids(), problem);
    }

    void tooLarge() throws IOException {
        refuse(Problem.of(ProblemCode.TOO_LARGE, "Rejected: the body exceeds the limit of this route for bytes or form"
                + " fields. Send a smaller body.", Next.CONTACT));
    }

    /** Some containers have answered 400 themselves by now, and this is not sent. */
    void incomplete() throws IOException {
        refuse(Problem.of(
                ProblemCode.BODY_INCOMPLETE,
                "The body does not match the declared Content-Length, or the connection was closed early. Nothing was"
                        + " run. Retry with the same key.",
                Next.RETRY));
    }

    void malformed(Body.Malformed why) throws IOException {
        refuse(Problem.of(
                ProblemCode.BODY_MALFORMED, "Rejected: " + why.fault() + " Nothing was run.", Next.CONTACT));
    }

    void storeUnavailable(Exception why) throws IOException {
        LOG.warn("{}: request not run: the ledger failed; the client is told to retry (correlation"
                + " {}).", operation(), correlation(), why);
        refuse(AnswerToProblem.storeUnavailable());
    }

    void breakerOpen() throws IOException {
        refuse(Problem.of(
                        ProblemCode.BREAKER_OPEN,
                        "The circuit breaker is open: requests to this operation kept failing. This one was not run."
                                + " Retry after the time in Retry-After.",
                        Next.RETRY)
                .retryAfter(asked.match().rule().breaker().pause()));
    }

    /** As the handler's answer. */
    void hold(Problem problem) throws IOException {
        held.reset();
        config.answering().problems().write(asked.request(), held, asked.ids(), problem);
    }

    /** What is kept of the held response. */
    byte[] snapshot() throws IOException, ServletException {
        Hooks.Errors ours = (request, response, status, message) -> Problems.error(response, asked.ids(), status);
        Hooks.Errors errors = config.answering().errors();
        held.writeError(asked.request(), errors != null ? errors : ours, ours);
        Snapshot snapshot = Snapshot.of(
                held,
                asked.match().rule().limits().responseBytes(),
                config.answering().replayed(),
                asked.ids().request());
        if (held.isTooLargeToHold()) {
            LOG.warn(
                    "{}: the response exceeds the limit of {} bytes for held responses; it was recorded as done without"
                            + " a body, and no body was sent (correlation {}). Raise the limit"
                            + " (Rule.withLargestHeldResponse, semel.http.tuning.responses.largest-held), or exempt the"
                            + " route.",
                    operation(),
                    asked.match().rule().limits().heldBytes(),
                    correlation());
        }
        byte[] whole = snapshot.encode();
        return config.gatewayRuns().canKeep(whole)
                ? whole
                : snapshot.withoutBody().encode();
    }

    /** What the record says, instead of what this request did. */
    void tell(Answer<byte[]> answer) throws IOException {
        boolean shadowed = answer instanceof Answer.Shadowed;
        byte[] result = answer.isResult() || shadowed ? answer.orThrowUnlessShadowed() : null;
        if (result == null && !(answer instanceof Answer.Replayed)) {
            refuse(answer.fold(AnswerToProblem.INSTANCE));
            return;
        }
        held.discard();
        if (shadowed) {
            asked.response().setHeader("Idempotency-Shadowed", "true");
            Snapshot.decode(result).send(asked.response());
        } else if (result == null) {
            Snapshot.notKept(asked.response());
        } else {
            Snapshot.decode(result).replay(asked.response());
        }
    }

    /** What the handler gave: its response, or its exception, which is the container's to answer. */
    void send(Settled settled, @Nullable Thrown thrown) throws IOException, ServletException {
        if (thrown != null && thrown.meaning() == Hooks.Exceptions.Meaning.FAILURE && thrown.problem() != null) {
            refuse(
                    settled instanceof Settled.Ended ended && ended.again() != null
                            ? AnswerToProblem.retryLater(ended.again())
                            : AnswerToProblem.unknown());
            return;
        }
        if (thrown != null) {
            held.discard();
            rethrow(thrown.exception());
        }
        if (settled instanceof Settled.Ended ended && ended.again() != null && !held.containsHeader("Retry-After")) {
            held.setHeader("Retry-After", Long.toString(Problems.seconds(ended.again())));
        }
        held.release();
    }

    /** Whoever wanted to know that it took effect, told once. */
    void committed() {
        exchange.callbacks().forEach(this::quietly);
        Hooks.FirstCommit told = config.following().firstCommit();
        if (told != null) {
            quietly(() -> told.after(asked.request(), exchange));
        }
    }

    private void quietly(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            LOG.warn(
                    "{}: callback after the first commit failed; the request stays done (correlation {}).",
                    operation(),
                    correlation(),
                    e);
        }
    }

    /** An asynchronous request whose client has gone: its answer is kept. */
    void unsent(Exception why) {
        LOG.debug("{}: sending the response failed; a retry gets the stored one (correlation"
                + " {}).", operation(), correlation(), why);
    }

    void unmarked() {
        LOG.warn(
                "{}: the handler at level MARKER returned without a marked transaction; if it had an effect, a crash"
                        + " before its end runs it again. Write in a marked transaction, or use level PLAIN. Logged"
                        + " once per route.",
                operation());
    }

    private String operation() {
        return asked.match().operation();
    }

    private String correlation() {
        return asked.ids().correlation();
    }

    private static void rethrow(Throwable why) throws IOException, ServletException {
        if (why instanceof IOException e) {
            throw e;
        } else if (why instanceof ServletException e) {
            throw e;
        } else if (why instanceof RuntimeException e) {
            throw e;
        } else if (why instanceof Error e) {
            throw e;
        }
        throw new ServletException(why);
    }
}
