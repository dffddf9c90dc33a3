package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.Exchanges.End;
import dev.semel.execution.OpenRun;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request under its key, from its body to its answer. The handler's response is held; what becomes of it is judged when the
 * handler has ended ({@link Verdict}), written to the ledger, and only then is anything sent.
 */
final class Handling {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
    private static final String ATTRIBUTE = Handling.class.getName();

    /** What came in. */
    record Asked(HttpServletRequest request, HttpServletResponse response, Ids ids, RouteTable.Match match) {}

    private final Config config;
    private final Asked asked;
    private final IdempotencyFilter.Admitted admitted;
    private final HeldResponse held;
    private final Exchange exchange;
    private final @Nullable CircuitBreaker breaker;
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile boolean pending;
    private volatile @Nullable Spool body;
    private volatile @Nullable OpenRun run;
    private volatile @Nullable Throwable thrown;

    Handling(Config config, Asked asked, IdempotencyFilter.Admitted admitted) {
        this.config = config;
        this.asked = asked;
        this.admitted = admitted;
        this.held = new HeldResponse(asked.response, rule().limits().responseBytes());
        this.exchange = new Exchange(rule().level(), admitted.scope().tenant(), asked.ids);
        this.breaker = config.routing().breakers().of(asked.match);
    }

    /** That of a request which is dispatched again. */
    static @Nullable Handling of(HttpServletRequest request) {
        return (Handling) request.getAttribute(ATTRIBUTE);
    }

    private Rule rule() {
        return asked.match.rule();
    }

    HeldResponse held() {
        return held;
    }

    boolean mayBeAsynchronous() {
        return rule().level() != Level.SPAN;
    }

    void run(FilterChain chain) throws IOException, ServletException {
        long limit = rule().limits().requestBytes();
        try {
            Spool read = Body.read(asked.request, limit);
            body = read;
            byte[] digest = RequestDigest.of(asked.request, asked.match.values(), read, limit);
            SpooledRequest request = new SpooledRequest(asked.request, read, this);
            exchange.attachTo(request);
            request.setAttribute(ATTRIBUTE, this);
            run(request, CallOf.request(asked, admitted, digest), chain);
        } catch (Spool.Full e) {
            refuse(Problem.of(
                    ProblemCode.TOO_LARGE, "The body has more than " + limit + " bytes. Send less.", Next.CONTACT));
        } catch (Body.Incomplete e) {
            refuse(Problem.of(
                    ProblemCode.BODY_INCOMPLETE,
                    "The body is shorter than the request says; nothing was run. Send it again.",
                    Next.RETRY));
        } finally {
            if (!pending) {
                dispose();
            }
        }
    }

    private void dispose() {
        Spool read = body;
        if (read != null) {
            read.close();
        }
    }

    private void run(SpooledRequest request, CallOf call, FilterChain chain) throws IOException, ServletException {
        Settled settled;
        try {
            settled = rule().level() == Level.SPAN ? span(request, call, chain) : leased(request, call, chain);
        } catch (SemelException.Misconfigured e) {
            throw new ServletException(e);
        } catch (SemelException e) {
            LOG.warn(
                    "{}: not run, because the ledger failed (correlation {}).",
                    asked.match.operation(),
                    asked.ids.correlation(),
                    e);
            held.discard();
            refuse(Told.storeUnavailable());
            return;
        }
        if (settled != null) {
            respond(settled);
        }
    }

    private Settled span(SpooledRequest request, CallOf call, FilterChain chain) {
        Operation.Atomic<byte[], byte[]> operation = Operation.atomic(
                        asked.match.operation(), byte[].class, byte[].class)
                .withPolicy(rule().policy());
        Set<String> before = new HashSet<>(Collections.list(request.getAttributeNames()));
        return config.exchanges().within(operation, call.call(), call.details(), tx -> {
            restart(request, before);
            if (breaker != null && !breaker.tryAcquirePermission()) {
                thrown = new BreakerOpen();
                return new End.Dropped();
            }
            exchange.inside(tx);
            try {
                passOn(request, held, chain);
            } finally {
                exchange.outside();
            }
            Verdict verdict = verdict();
            return switch (verdict.kind()) {
                case KEEP -> new End.Kept(snapshot());
                case REFUSE -> new End.Refused(snapshot());
                case DROP -> new End.Dropped();
                case FAIL -> new End.Failed(verdict.failure());
            };
        });
    }

    /** A transaction that many share may be run again: then the request is as if it had just come in. */
    private void restart(SpooledRequest request, Set<String> attributes) {
        thrown = null;
        request.restart();
        held.reset();
        for (String name : Collections.list(request.getAttributeNames())) {
            if (!attributes.contains(name)) {
                request.removeAttribute(name);
            }
        }
    }

    /** Nothing when the handler goes on asynchronously. */
    private @Nullable Settled leased(SpooledRequest request, CallOf call, FilterChain chain) {
        Settled.Begun begun = config.exchanges()
                .begin(HttpSettings.leased(asked.match.operation(), rule()), call.call(), call.details());
        if (!(begun instanceof OpenRun granted)) {
            return (Settled.Told) begun;
        }
        if (breaker != null && !breaker.tryAcquirePermission()) {
            thrown = new BreakerOpen();
            return granted.handBack(
                    rule().breaker().pause(), Failure.of(Failure.Category.DISABLED, "The breaker is open."));
        }
        run = granted;
        exchange.under(granted);
        granted.enter();
        try {
            passOn(request, held, chain);
        } finally {
            granted.leave();
        }
        pending = request.isAsyncStarted() && thrown == null;
        return pending ? null : end();
    }

    /** The breaker is open: the handler was not run. */
    private static final class BreakerOpen extends Exception {
        private static final long serialVersionUID = 1;

        BreakerOpen() {
            super(null, null, false, false);
        }
    }

    private void passOn(ServletRequest request, ServletResponse response, FilterChain chain) {
        Exchange outer = exchange.enter();
        try {
            chain.doFilter(request, response);
        } catch (Throwable t) {
            failed(t);
        } finally {
            Exchange.leave(outer);
        }
    }

    /** For work that the application does on another thread for this request. */
    void within(Runnable work) {
        Exchange outer = exchange.enter();
        Hooks.Logs.Entered entered = logged();
        try {
            work.run();
        } finally {
            entered.close();
            Exchange.leave(outer);
        }
    }

    void failed(@Nullable Throwable why) {
        VersionMismatch mismatch = Verdict.mismatch(why);
        if (mismatch == null) {
            thrown = why;
            return;
        }
        held.reset();
        try {
            config.answering()
                    .problems()
                    .write(
                            asked.request,
                            held,
                            asked.ids,
                            Problem.of(
                                    ProblemCode.VERSION_MISMATCH,
                                    "The resource has another version than the request says. Read it again, and send the"
                                            + " change under a new key.",
                                    Next.CONTACT));
        } catch (IOException e) {
            thrown = e;
        }
    }

    /** The handler's thread comes back for an asynchronous request. */
    void resume(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Hooks.Logs.Entered entered = logged();
        try {
            passOn(request, response, chain);
            if (!request.isAsyncStarted() || thrown != null) {
                answer();
            }
        } finally {
            entered.close();
        }
    }

    private Hooks.Logs.Entered logged() {
        return config.following().logs().enter(asked.ids.correlation(), asked.ids.request());
    }

    private void answer() throws IOException, ServletException {
        try {
            Settled settled = end();
            if (settled != null) {
                respond(settled);
            }
        } finally {
            dispose();
        }
    }

    /** The application completes an asynchronous request. */
    void completed() {
        Hooks.Logs.Entered entered = logged();
        try {
            answer();
        } catch (IOException | ServletException | RuntimeException e) {
            LOG.debug(
                    "{}: its answer could not be sent (correlation {}).",
                    asked.match.operation(),
                    asked.ids.correlation(),
                    e);
        } finally {
            entered.close();
        }
    }

    /** The container ended an asynchronous request; what it sent was not the handler's. */
    void abandoned(@Nullable Throwable why) {
        if (finished.get()) {
            return;
        }
        thrown = why != null ? why : new TimeoutException("The asynchronous request timed out.");
        Settled settled = end();
        if (settled != null) {
            committed(settled, false);
        }
        held.abandon();
        dispose();
    }

    private Verdict verdict() {
        return Verdict.of(asked, held, thrown, config.following().time());
    }

    /** Writes to the ledger what the handler left; nothing when that was done before. */
    private @Nullable Settled end() {
        OpenRun granted = run;
        if (granted == null || !finished.compareAndSet(false, true)) {
            return null;
        }
        Verdict verdict = verdict();
        return switch (verdict.kind()) {
            case KEEP -> granted.keep(snapshot());
            case REFUSE -> granted.refuse(snapshot());
            case DROP -> granted.drop();
            case FAIL ->
                rule().level() == Level.PLAIN && !exchange.isWithoutEffect()
                        ? granted.park(verdict.failure())
                        : granted.fail(verdict.failure());
        };
    }

    private byte[] snapshot() {
        Hooks.Errors errors = config.answering().errors();
        try {
            held.writeError(
                    asked.request,
                    errors != null
                            ? errors
                            : (request, response, status, message) ->
                                    Problems.error(response, asked.ids, status, message));
        } catch (IOException | ServletException e) {
            LOG.warn(
                    "{}: the body of an error could not be written (correlation {}).",
                    asked.match.operation(),
                    asked.ids.correlation(),
                    e);
        }
        Snapshot snapshot = Snapshot.of(
                held, rule().limits().responseBytes(), config.answering().replayed(), asked.ids.request());
        byte[] whole = snapshot.encode();
        return config.exchanges().canKeep(whole)
                ? whole
                : snapshot.withoutBody().encode();
    }

    private void respond(Settled settled) throws IOException, ServletException {
        if (thrown instanceof BreakerOpen) {
            held.discard();
            refuse(Problem.of(
                            ProblemCode.BREAKER_OPEN,
                            "Requests of this kind kept failing and are paused; this one was not run.",
                            Next.RETRY)
                    .retryAfter(rule().breaker().pause()));
            return;
        }
        if (settled instanceof Settled.Told told) {
            held.discard();
            tell(told.answer());
            return;
        }
        Verdict verdict = verdict();
        Breakers.ended(breaker, verdict.kind() == Verdict.Kind.FAIL);
        committed(settled, verdict.kind() == Verdict.Kind.KEEP);
        Throwable why = thrown;
        if (why != null) {
            held.discard();
            rethrow(why);
        }
        if (settled instanceof Settled.Ended ended && ended.again() != null && !held.containsHeader("Retry-After")) {
            held.setHeader("Retry-After", Long.toString(Problems.seconds(ended.again())));
        }
        held.release();
    }

    private void committed(Settled settled, boolean kept) {
        boolean done = settled instanceof Settled.Committed || settled instanceof Settled.Ended && kept;
        if (!done) {
            return;
        }
        for (Runnable callback : exchange.callbacks()) {
            quietly(callback);
        }
        Hooks.FirstCommit told = config.following().firstCommit();
        if (told != null) {
            quietly(() -> told.after(asked.request, exchange));
        }
    }

    private void quietly(Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            LOG.warn(
                    "{}: a callback after its first commit failed; the request is done all the same (correlation {}).",
                    asked.match.operation(),
                    asked.ids.correlation(),
                    e);
        }
    }

    private void tell(Answer<byte[]> answer) throws IOException {
        byte[] result = answer.isResult() ? answer.orThrow() : null;
        if (answer instanceof Answer.Shadowed && result != null) {
            asked.response.setHeader("Idempotency-Shadowed", "true");
            Snapshot.decode(result).send(asked.response);
        } else if (answer instanceof Answer.Replayed && result == null) {
            Snapshot.notKept(asked.response);
        } else if (answer instanceof Answer.Replayed) {
            Snapshot.decode(result).replay(asked.response);
        } else {
            refuse(answer.fold(Told.INSTANCE));
        }
    }

    private void refuse(Problem problem) throws IOException {
        config.answering().problems().write(asked.request, asked.response, asked.ids, problem);
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
