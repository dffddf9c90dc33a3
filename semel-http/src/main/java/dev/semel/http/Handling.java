package dev.semel.http;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.GatewayRuns.End;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request under its key, from its body to its answer. The handler's response is held; what becomes of it is judged when the
 * handler has ended ({@link ResponseMeaning}), written to the ledger, and only then is anything sent ({@link Reply}). An asynchronous
 * request ends on whichever thread completes it.
 */
final class Handling {
    private static final String ATTRIBUTE = Handling.class.getName();

    /** What came in. */
    record Asked(HttpServletRequest request, HttpServletResponse response, Ids ids, RouteTable.Match match) {}

    private final Config config;
    private final Asked asked;
    private final IdempotencyFilter.Admitted admitted;
    private final HeldResponse held;
    private final Exchange exchange;
    private final Reply reply;
    private final Breakers.Permit permit;
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile boolean goesOn;
    private volatile boolean breakerOpen;
    private volatile @Nullable Body body;
    private volatile @Nullable GatewayRun run;
    private volatile boolean asynchronous;
    private volatile @Nullable Thrown thrown;
    private volatile @Nullable Throwable broken;
    private volatile boolean passing;

    Handling(Config config, Asked asked, IdempotencyFilter.Admitted admitted) {
        this.config = config;
        this.asked = asked;
        this.admitted = admitted;
        this.held = new HeldResponse(asked.request, asked.response, rule().limits());
        this.exchange = new Exchange(rule().level(), admitted.scope().tenant(), asked.ids);
        this.reply = new Reply(config, asked, held, exchange);
        this.permit = config.routing().breakers().of(asked.match);
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
            Body read = Body.read(asked.request, rule().limits());
            body = read;
            byte[] digest = RequestDigest.of(asked.request, asked.match.values(), read, limit);
            SpooledRequest request = new SpooledRequest(asked.request, read, this);
            exchange.attachTo(request);
            request.setAttribute(ATTRIBUTE, this);
            run(request, CallOf.request(asked, admitted, digest), chain);
        } catch (Spool.Full e) {
            reply.tooLarge();
        } catch (Body.Incomplete e) {
            reply.incomplete();
        } catch (Body.Malformed e) {
            reply.malformed(e);
        } finally {
            if (!goesOn) {
                dispose();
            }
        }
    }

    /** Nothing is needed of the request any more. */
    private void dispose() {
        permit.ended(Breakers.How.OTHERWISE);
        Body read = body;
        if (read != null) {
            read.close();
        }
    }

    private void run(SpooledRequest request, Call<byte[]> call, FilterChain chain)
            throws IOException, ServletException {
        Settled settled;
        try {
            settled = rule().level() == Level.SPAN ? span(request, call, chain) : leased(request, call, chain);
        } catch (SemelException.Misconfigured e) {
            throw new ServletException(e);
        } catch (SemelException e) {
            reply.storeUnavailable(e);
            return;
        }
        if (settled != null) {
            respond(settled);
        }
    }

    private Settled span(SpooledRequest request, Call<byte[]> call, FilterChain chain) {
        Operation.Atomic<byte[], byte[]> operation = Operation.atomic(
                        asked.match.operation(), byte[].class, byte[].class)
                .withPolicy(rule().policy());
        var before = new AtomicReference<@Nullable Set<String>>();
        return config.gatewayRuns().within(operation, call, tx -> {
            Set<String> attributes = before.get();
            if (attributes == null) {
                before.set(new HashSet<>(Collections.list(request.getAttributeNames())));
            } else {
                restart(request, attributes);
            }
            if (!permit.take()) {
                breakerOpen = true;
                return new End.Dropped();
            }
            exchange.inside(tx);
            try {
                passOn(request, held, chain);
            } finally {
                exchange.outside();
            }
            Left left = left();
            return switch (left.verdict.kind()) {
                case KEEP -> new End.Kept(left.snapshot);
                case REFUSE -> new End.Refused(left.snapshot);
                case DROP -> new End.Dropped();
                case FAIL -> new End.Failed(left.verdict.failure());
            };
        });
    }

    /** A transaction that many share may be run again: then the request is as if it had just come in. */
    private void restart(SpooledRequest request, Set<String> attributes) {
        thrown = null;
        passing = false;
        request.restart();
        held.reset();
        for (String name : Collections.list(request.getAttributeNames())) {
            if (!attributes.contains(name)) {
                request.removeAttribute(name);
            }
        }
    }

    /** Nothing when the handler goes on asynchronously. */
    private @Nullable Settled leased(SpooledRequest request, Call<byte[]> call, FilterChain chain) {
        Settled.Begun begun = config.gatewayRuns().begin(HttpSettings.leased(asked.match.operation(), rule()), call);
        if (!(begun instanceof GatewayRun granted)) {
            return (Settled.Answered) begun;
        }
        if (!permit.take()) {
            breakerOpen = true;
            return granted.handBack(
                    rule().breaker().pause(), Failure.of(Failure.Category.DISABLED, "The circuit breaker is open."));
        }
        run = granted;
        exchange.under(granted);
        Hooks.Effects effects = config.judging().effects();
        if (rule().level() == Level.MARKER && effects != null) {
            exchange.watch(effects);
        }
        granted.enter();
        try {
            passOn(request, held, chain);
        } finally {
            granted.leave();
        }
        return goesOn ? null : end();
    }

    private void passOn(ServletRequest request, ServletResponse response, FilterChain chain) {
        Exchange outer = exchange.enter();
        goesOn = false;
        try {
            chain.doFilter(request, response);
        } catch (Throwable t) {
            goesOn = false;
            failed(t);
        } finally {
            Exchange.leave(outer);
        }
    }

    private void failed(Throwable why) {
        Thrown judged = judged(why);
        thrown = judged;
        Problem problem = judged.problem();
        if (problem == null) {
            return;
        }
        boolean lasting = Nested.isLasting(problem);
        if (lasting ? mayHaveTakenEffect() : !isKnownToHaveNoEffect()) {
            return;
        }
        try {
            reply.hold(problem);
            thrown = null;
            passing = !lasting;
        } catch (IOException e) {
            thrown = judged(e);
        }
    }

    /** Then it is no refusal, however it failed: a client that follows the advice to use a new key would do it twice. */
    private boolean mayHaveTakenEffect() {
        GatewayRun granted = run;
        return rule().level() == Level.MARKER && granted != null && (granted.marked() || doubt() != null);
    }

    /** Then an answer that may be another the next time leaves no record. */
    private boolean isKnownToHaveNoEffect() {
        return rule().level() == Level.SPAN || !exchange.isMarked() && (exchange.isWithoutEffect() || doubt() == null);
    }

    private Thrown judged(Throwable why) {
        return Thrown.of(why, config.judging().exceptions());
    }

    /** The handler's thread will leave before the request has ended. */
    void goesOn() {
        asynchronous = true;
        goesOn = true;
    }

    /** The container says that an asynchronous request is broken; what the handler gives now is not its answer. */
    void broken(@Nullable Throwable why) {
        broken = why != null ? why : new IOException("The asynchronous request failed before it completed.");
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

    /** The handler's thread comes back for an asynchronous request. */
    void resume(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Hooks.Logs.Entered entered = logged();
        try {
            passOn(request, response, chain);
            if (!goesOn) {
                answer();
            }
        } finally {
            entered.close();
        }
    }

    /** The application completes an asynchronous request. */
    void completed() {
        Hooks.Logs.Entered entered = logged();
        try {
            answer();
        } catch (IOException | ServletException | RuntimeException e) {
            reply.unsent(e);
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

    /** The container ended an asynchronous request; what it sent was not the handler's. */
    void abandoned(@Nullable Throwable why) {
        GatewayRun granted = run;
        if (granted == null || !finished.compareAndSet(false, true)) {
            return;
        }
        broken(why != null ? why : new TimeoutException("The asynchronous request timed out."));
        if (settle(granted) instanceof Settled.Committed) {
            reply.committed();
        }
        permit.ended(failedHow());
        held.abandon();
        dispose();
    }

    /** A client that hangs up, which containers tell as an IOException, says nothing about the handler. */
    private Breakers.How failedHow() {
        return thrown == null && broken instanceof IOException ? Breakers.How.OTHERWISE : Breakers.How.FAILED;
    }

    /** Writes to the ledger what the handler left; nothing when that was done before. */
    private @Nullable Settled end() {
        GatewayRun granted = run;
        return granted == null || !finished.compareAndSet(false, true) ? null : settle(granted);
    }

    private Settled settle(GatewayRun granted) {
        Left left = left();
        ResponseMeaning.Kind kind = left.verdict.kind();
        if (kind == ResponseMeaning.Kind.KEEP
                && rule().level() == Level.MARKER
                && !granted.marked()
                && doubt() != null
                && config.routing().unmarked(asked.match.operation())) {
            reply.unmarked();
        }
        return switch (kind) {
            case KEEP -> granted.keep(left.snapshot);
            case REFUSE -> granted.refuse(left.snapshot);
            case DROP -> dropped(granted, left);
            case FAIL -> {
                Failure failure = left.verdict.failure();
                String doubt = exchange.isWithoutEffect() ? null : doubt();
                yield doubt == null ? granted.fail(failure) : granted.park(doubted(failure, doubt));
            }
        };
    }

    /** It leaves no record, unless it is known to have written: then it must not be run again. */
    private Settled dropped(GatewayRun granted, Left left) {
        String wrote = wrote();
        if (wrote == null) {
            return left.snapshot.length == 0 ? granted.drop() : granted.drop(left.snapshot);
        }
        return left.snapshot.length == 0
                ? granted.park(Failure.of(Failure.Category.UNKNOWN, "The handler rejected the request. " + wrote))
                : granted.refuse(left.snapshot);
    }

    private @Nullable String wrote() {
        return exchange.isWithoutEffect()
                ? null
                : exchange.watched().flatMap(Hooks.Effects.Watched::wrote).orElse(null);
    }

    /** Why a failure may have left an effect that no mark tells of; nothing when it can be told that it has not. */
    private @Nullable String doubt() {
        if (rule().level() == Level.PLAIN) {
            return "At level PLAIN the ledger cannot tell whether the handler took effect.";
        }
        if (asynchronous) {
            return "The handler continued asynchronously, where its transactions are not observed.";
        }
        return exchange.watched()
                .map(Hooks.Effects.Watched::doubt)
                .orElseGet(() -> Optional.of("The connections that the handler used are not observed."))
                .orElse(null);
    }

    private static Failure doubted(Failure failure, String doubt) {
        return new Failure(
                failure.category(), failure.reason() + " " + doubt, failure.exception(), failure.retryAfter());
    }

    /** @param snapshot empty where none is kept */
    private record Left(ResponseMeaning verdict, byte[] snapshot) {}

    /** What the handler left. An answer that cannot be read is none. */
    private Left left() {
        ResponseMeaning verdict = verdict();
        boolean kept = verdict.kind() == ResponseMeaning.Kind.KEEP || verdict.kind() == ResponseMeaning.Kind.REFUSE;
        if (!kept && !isRefusalAfterAnEffect(verdict)) {
            return new Left(verdict, new byte[0]);
        }
        try {
            return new Left(verdict, reply.snapshot());
        } catch (IOException | ServletException | RuntimeException | Error e) {
            thrown = judged(e);
            return new Left(verdict(), new byte[0]);
        }
    }

    /** It leaves no record, unless an effect turns out to be committed: then the answer is needed, so that it is not run again. */
    private boolean isRefusalAfterAnEffect(ResponseMeaning verdict) {
        return verdict.kind() == ResponseMeaning.Kind.DROP
                && thrown == null
                && (exchange.isMarked() || wrote() != null);
    }

    private ResponseMeaning verdict() {
        Throwable off = broken;
        Thrown why = thrown != null || off == null ? thrown : judged(off);
        return passing && why == null
                ? ResponseMeaning.DROPPED
                : ResponseMeaning.of(asked, held, why, config.following().time());
    }

    private void respond(Settled settled) throws IOException, ServletException {
        if (breakerOpen) {
            reply.breakerOpen();
            return;
        }
        if (settled instanceof Settled.Answered told) {
            reply.tell(told.answer());
            return;
        }
        ResponseMeaning.Kind kind = verdict().kind();
        permit.ended(
                switch (kind) {
                    case FAIL -> failedHow();
                    case DROP -> Breakers.How.OTHERWISE;
                    case KEEP, REFUSE -> Breakers.How.WELL;
                });
        if (settled instanceof Settled.Committed || kind == ResponseMeaning.Kind.KEEP) {
            reply.committed();
        }
        Thrown why = thrown;
        reply.send(settled, why);
    }
}
