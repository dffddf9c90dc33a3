package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import dev.semel.key.RecordId;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the response after the ledger has decided: the held response, a stored one, or a problem. */
final class ResponseSender {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

    private final FilterSetup setup;
    private final IncomingRequest incoming;
    private final HeldResponse held;
    private final IdempotentExchange exchange;
    private volatile Problems.@Nullable AboutRecord record;

    ResponseSender(FilterSetup setup, IncomingRequest incoming, HeldResponse held, IdempotentExchange exchange) {
        this.setup = setup;
        this.incoming = incoming;
        this.held = held;
        this.exchange = exchange;
    }

    /** The record of this request is known from now on. */
    void about(RecordId id, KeyScope scope) {
        boolean visible = incoming.match().rule().level() != Level.SPAN;
        StatusResource status = setup.responses().status();
        boolean cancellable = status != null && status.mayCancel(scope);
        record = new Problems.AboutRecord(id.hex(), incoming.match().version(), visible, cancellable);
    }

    void refuse(Problem problem) throws IOException {
        held.discard();
        setup.responses()
                .problems()
                .write(incoming.request(), incoming.response(), incoming.ids(), problem.about(record));
    }

    void tooLarge() throws IOException {
        refuse(Problem.of(
                ProblemCode.TOO_LARGE,
                "Rejected: the body exceeds the limit of this route for bytes or form"
                        + " fields. Send a smaller body.",
                Next.CONTACT));
    }

    /** Not sent where the container has already responded with 400 itself. */
    void incomplete() throws IOException {
        refuse(Problem.of(
                ProblemCode.BODY_INCOMPLETE,
                "The body does not match the declared Content-Length, or the connection was closed early. Nothing was"
                        + " run. Retry with the same key.",
                Next.RETRY));
    }

    void malformed(RequestBody.Malformed why) throws IOException {
        refuse(Problem.of(ProblemCode.BODY_MALFORMED, "Rejected: " + why.fault() + " Nothing was run.", Next.CONTACT));
    }

    void storeUnavailable(Exception why) throws IOException {
        LOG.warn(
                "{}: request not run: the ledger failed; the client may retry (correlation {}).",
                operation(),
                correlation(),
                why);
        refuse(AnswerToProblem.storeUnavailable());
    }

    void breakerOpen() throws IOException {
        refuse(Problem.of(
                        ProblemCode.BREAKER_OPEN,
                        "The circuit breaker is open: requests to this operation kept failing. This one was not run."
                                + " Retry after the time in Retry-After.",
                        Next.RETRY)
                .retryAfter(incoming.match().rule().breaker().pause()));
    }

    /** Replaces the handler's response by a problem, which is stored. */
    void hold(Problem problem) throws IOException {
        held.reset();
        setup.responses().problems().write(incoming.request(), held, incoming.ids(), problem);
    }

    /** The part of the held response that is stored. */
    byte[] snapshot() throws IOException, ServletException {
        Hooks.Errors ours = (request, response, status, message) -> Problems.error(response, incoming.ids(), status);
        Hooks.Errors errors = setup.responses().errors();
        held.writeError(incoming.request(), errors != null ? errors : ours, ours);
        Snapshot snapshot = Snapshot.of(
                held,
                incoming.match().rule().limits().responseBytes(),
                setup.responses().replayed(),
                incoming.ids().request());
        if (held.isTooLargeToHold()) {
            LOG.warn(
                    "{}: the response exceeds the limit of {} bytes for held responses; it was recorded as done without"
                            + " a body, and no body was sent (correlation {}). Raise the limit"
                            + " (Rule.withLargestHeldResponse, semel.http.tuning.responses.largest-held), or exempt the"
                            + " route.",
                    operation(),
                    incoming.match().rule().limits().heldBytes(),
                    correlation());
        }
        byte[] whole = snapshot.encode();
        return setup.gatewayRuns().canKeep(whole)
                ? whole
                : snapshot.withoutBody().encode();
    }

    /** Sends the answer of the record instead of a response of this request. */
    void tell(Answer<byte[]> answer) throws IOException {
        boolean shadowed = answer instanceof Answer.Shadowed;
        byte[] result = answer.isResult() || shadowed ? answer.orThrowUnlessShadowed() : null;
        if (result == null && !(answer instanceof Answer.Replayed)) {
            refuse(answer.fold(AnswerToProblem.INSTANCE));
            return;
        }
        held.discard();
        if (shadowed) {
            incoming.response().setHeader("Idempotency-Shadowed", "true");
            Snapshot.decode(result).send(incoming.response());
        } else if (result == null) {
            Snapshot.notKept(incoming.response());
        } else {
            Snapshot.decode(result).replay(incoming.response());
        }
    }

    /** Sends the handler's response, or rethrows its exception to the container. */
    void send(Settled settled, @Nullable ClassifiedException thrown) throws IOException, ServletException {
        if (thrown != null && thrown.meaning() == Hooks.Exceptions.Meaning.FAILURE && thrown.problem() != null) {
            refuse(
                    settled instanceof Settled.Recorded ended && ended.again() != null
                            ? AnswerToProblem.retryLater(ended.again())
                            : AnswerToProblem.unknown());
            return;
        }
        if (thrown != null) {
            held.discard();
            rethrow(thrown.exception());
        }
        if (settled instanceof Settled.Recorded ended && ended.again() != null && !held.containsHeader("Retry-After")) {
            held.setHeader("Retry-After", Long.toString(Problems.seconds(ended.again())));
        }
        held.release();
    }

    /** Runs the callbacks after the first commit. */
    void committed() {
        exchange.callbacks().forEach(this::quietly);
        Hooks.FirstCommit told = setup.tracking().firstCommit();
        if (told != null) {
            quietly(() -> told.after(incoming.request(), exchange));
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

    /** The client of an asynchronous request has closed its connection; the response stays stored. */
    void unsent(Exception why) {
        LOG.debug(
                "{}: sending the response failed; a retry gets the stored one (correlation" + " {}).",
                operation(),
                correlation(),
                why);
    }

    void unmarked() {
        LOG.warn(
                "{}: the handler at level MARKER returned without a marked transaction; if it had an effect, a crash"
                        + " before its end runs it again. Write in a marked transaction, or use level PLAIN. Logged"
                        + " once per route.",
                operation());
    }

    private String operation() {
        return incoming.match().operation();
    }

    private String correlation() {
        return incoming.ids().correlation();
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
