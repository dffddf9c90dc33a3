package dev.semel.http;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.GatewayRuns.GatewayEnd;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
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
 * One request under its key, from its body to its response. The handler's response is held. When the handler ends,
 * {@link ResponseMeaning} decides what the response means, the ledger records it, and then {@link ResponseSender} sends it. An
 * asynchronous request ends on the thread that completes it.
 */
final class GuardedRequest {
    private static final String ATTRIBUTE = GuardedRequest.class.getName();

    private final FilterSetup setup;
    private final IncomingRequest incoming;
    private final IdempotencyFilter.AdmissionCheck admitted;
    private final HeldResponse held;
    private final IdempotentExchange exchange;
    private final ResponseSender sender;
    private final RouteBreakers.Permit permit;
    private final AtomicBoolean finished = new AtomicBoolean();
    private volatile boolean goesOn;
    private volatile boolean breakerOpen;
    private volatile @Nullable RequestBody body;
    private volatile @Nullable GatewayRun run;
    private volatile boolean asynchronous;
    private volatile @Nullable ClassifiedException thrown;
    private volatile @Nullable Throwable broken;
    private volatile boolean passing;

    GuardedRequest(FilterSetup setup, IncomingRequest incoming, IdempotencyFilter.AdmissionCheck admitted) {
        this.setup = setup;
        this.incoming = incoming;
        this.admitted = admitted;
        this.held = new HeldResponse(incoming.request(), incoming.response(), rule().limits());
        this.exchange = new IdempotentExchange(rule().level(), admitted.scope().tenant(), incoming.ids());
        this.sender = new ResponseSender(setup, incoming, held, exchange);
        this.permit = setup.routing().breakers().of(incoming.match());
    }

    /** The guarded request of a request that is dispatched again; null for a new one. */
    static @Nullable GuardedRequest of(HttpServletRequest request) {
        return (GuardedRequest) request.getAttribute(ATTRIBUTE);
    }

    private Rule rule() {
        return incoming.match().rule();
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
            RequestBody read = RequestBody.read(incoming.request(), rule().limits());
            body = read;
            byte[] digest =
                    RequestDigest.of(incoming.request(), incoming.match().values(), read, limit);
            SpooledRequest request = new SpooledRequest(incoming.request(), read, this);
            exchange.attachTo(request);
            request.setAttribute(ATTRIBUTE, this);
            Call<byte[]> call = RequestToCall.request(incoming, admitted, digest);
            String operation = incoming.match().operation();
            RecordId record = Identity.of(call.tenant(), operation, call.key()).id();
            exchange.about(operation, record, digest);
            sender.about(record, admitted.scope());
            run(request, call, chain);
        } catch (SpoolBuffer.LimitExceeded e) {
            sender.tooLarge();
        } catch (RequestBody.Incomplete e) {
            sender.incomplete();
        } catch (RequestBody.Malformed e) {
            sender.malformed(e);
        } finally {
            if (!goesOn) {
                dispose();
            }
        }
    }

    /** Releases the permit and the body. */
    private void dispose() {
        permit.ended(RouteBreakers.HandlerEnd.NOT_JUDGED);
        RequestBody read = body;
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
            sender.storeUnavailable(e);
            return;
        }
        if (settled != null) {
            respond(settled);
        }
    }

    private Settled span(SpooledRequest request, Call<byte[]> call, FilterChain chain) {
        Operation.Atomic<byte[], byte[]> operation =
                HttpSettings.atomic(incoming.match().operation(), rule());
        var before = new AtomicReference<@Nullable Set<String>>();
        return setup.gatewayRuns().within(operation, call, tx -> {
            Set<String> attributes = before.get();
            if (attributes == null) {
                before.set(new HashSet<>(Collections.list(request.getAttributeNames())));
            } else {
                restart(request, attributes);
            }
            if (!permit.take()) {
                breakerOpen = true;
                return new GatewayEnd.Nothing();
            }
            exchange.inside(tx);
            try {
                passOn(request, held, chain);
            } finally {
                exchange.outside();
            }
            HandlerOutcome left = left();
            return switch (left.verdict.kind()) {
                case KEEP -> new GatewayEnd.AnswerAndEffect(left.snapshot);
                case REFUSE -> new GatewayEnd.AnswerOnly(left.snapshot);
                case DROP -> new GatewayEnd.Nothing();
                case FAIL -> new GatewayEnd.RetryableFailure(left.verdict.failure());
            };
        });
    }

    /** Resets the request: a transaction that many requests share may run again. */
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

    /** Null when the handler continues asynchronously. */
    private @Nullable Settled leased(SpooledRequest request, Call<byte[]> call, FilterChain chain) {
        Settled.Begun begun =
                setup.gatewayRuns().begin(HttpSettings.leased(incoming.match().operation(), rule()), call);
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
        Hooks.Effects effects = setup.failures().effects();
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
        IdempotentExchange outer = exchange.enter();
        goesOn = false;
        try {
            chain.doFilter(request, response);
        } catch (Throwable t) {
            goesOn = false;
            failed(t);
        } finally {
            IdempotentExchange.leave(outer);
        }
    }

    private void failed(Throwable why) {
        ClassifiedException judged = judged(why);
        thrown = judged;
        Problem problem = judged.problem();
        if (problem == null) {
            return;
        }
        boolean lasting = NestedAnswerToProblem.isLasting(problem);
        if (lasting ? mayHaveTakenEffect() : !isKnownToHaveNoEffect()) {
            return;
        }
        try {
            sender.hold(problem);
            thrown = null;
            passing = !lasting;
        } catch (IOException e) {
            thrown = judged(e);
        }
    }

    /** Then the failure is not stored as a rejection: a client that uses a new key would repeat the effect. */
    private boolean mayHaveTakenEffect() {
        GatewayRun granted = run;
        return rule().level() == Level.MARKER && granted != null && (granted.marked() || doubt() != null);
    }

    /** Then a temporary problem leaves no record. */
    private boolean isKnownToHaveNoEffect() {
        return rule().level() == Level.SPAN || !exchange.isMarked() && (exchange.isWithoutEffect() || doubt() == null);
    }

    private ClassifiedException judged(Throwable why) {
        return ClassifiedException.of(why, setup.failures().exceptions());
    }

    /** The handler's thread returns before the request has ended. */
    void goesOn() {
        asynchronous = true;
        goesOn = true;
    }

    /** The container reports an error of an asynchronous request; the held response is not its answer. */
    void broken(@Nullable Throwable why) {
        broken = why != null ? why : new IOException("The asynchronous request failed before it completed.");
    }

    /** Runs work of this request on another thread. */
    void within(Runnable work) {
        IdempotentExchange outer = exchange.enter();
        Hooks.Logs.LogContext entered = logged();
        try {
            work.run();
        } finally {
            entered.close();
            IdempotentExchange.leave(outer);
        }
    }

    /** The container dispatches an asynchronous request again. */
    void resume(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Hooks.Logs.LogContext entered = logged();
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
        Hooks.Logs.LogContext entered = logged();
        try {
            answer();
        } catch (IOException | ServletException | RuntimeException e) {
            sender.unsent(e);
        } finally {
            entered.close();
        }
    }

    private Hooks.Logs.LogContext logged() {
        return setup.tracking()
                .logs()
                .enter(incoming.ids().correlation(), incoming.ids().request());
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

    /** The container ended an asynchronous request and sent its own response. */
    void abandoned(@Nullable Throwable why) {
        GatewayRun granted = run;
        if (granted == null || !finished.compareAndSet(false, true)) {
            return;
        }
        broken(why != null ? why : new TimeoutException("The asynchronous request timed out."));
        if (settle(granted) instanceof Settled.EffectCommitted) {
            sender.committed();
        }
        permit.ended(failedHow());
        held.abandon();
        dispose();
    }

    /** A closed client connection, which containers report as an IOException, is not a failure of the handler. */
    private RouteBreakers.HandlerEnd failedHow() {
        return thrown == null && broken instanceof IOException
                ? RouteBreakers.HandlerEnd.NOT_JUDGED
                : RouteBreakers.HandlerEnd.FAILED;
    }

    /** Records the handler's outcome in the ledger; null when it is recorded already. */
    private @Nullable Settled end() {
        GatewayRun granted = run;
        return granted == null || !finished.compareAndSet(false, true) ? null : settle(granted);
    }

    private Settled settle(GatewayRun granted) {
        HandlerOutcome left = left();
        ResponseMeaning.Kind kind = left.verdict.kind();
        if (kind == ResponseMeaning.Kind.KEEP
                && rule().level() == Level.MARKER
                && !granted.marked()
                && doubt() != null
                && setup.routing().unmarked(incoming.match().operation())) {
            sender.unmarked();
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

    /** Leaves no record, unless the handler is known to have written: then it must not run again. */
    private Settled dropped(GatewayRun granted, HandlerOutcome left) {
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
                : exchange.watched().flatMap(Hooks.Effects.HandlerWatch::wrote).orElse(null);
    }

    /** Why a failure may have left an unmarked effect; null when it certainly has not. */
    private @Nullable String doubt() {
        if (rule().level() == Level.PLAIN) {
            return "At level PLAIN the ledger cannot tell whether the handler took effect.";
        }
        if (asynchronous) {
            return "The handler continued asynchronously, where its transactions are not observed.";
        }
        return exchange.watched()
                .map(Hooks.Effects.HandlerWatch::doubt)
                .orElseGet(() -> Optional.of("The connections that the handler used are not observed."))
                .orElse(null);
    }

    private static Failure doubted(Failure failure, String doubt) {
        return new Failure(
                failure.category(), failure.reason() + " " + doubt, failure.exception(), failure.retryAfter());
    }

    /** @param snapshot the response to store; empty where none is stored */
    private record HandlerOutcome(ResponseMeaning verdict, byte[] snapshot) {}

    /** The handler's outcome. A response that cannot be stored counts as a failure. */
    private HandlerOutcome left() {
        ResponseMeaning verdict = verdict();
        boolean kept = verdict.kind() == ResponseMeaning.Kind.KEEP || verdict.kind() == ResponseMeaning.Kind.REFUSE;
        if (!kept && !isRefusalAfterAnEffect(verdict)) {
            return new HandlerOutcome(verdict, new byte[0]);
        }
        try {
            return new HandlerOutcome(verdict, sender.snapshot());
        } catch (IOException | ServletException | RuntimeException | Error e) {
            thrown = judged(e);
            return new HandlerOutcome(verdict(), new byte[0]);
        }
    }

    /** A rejection after a committed effect: its response is stored, so that the request does not run again. */
    private boolean isRefusalAfterAnEffect(ResponseMeaning verdict) {
        return verdict.kind() == ResponseMeaning.Kind.DROP
                && thrown == null
                && (exchange.isMarked() || wrote() != null);
    }

    private ResponseMeaning verdict() {
        Throwable off = broken;
        ClassifiedException why = thrown != null || off == null ? thrown : judged(off);
        return passing && why == null
                ? ResponseMeaning.DROPPED
                : ResponseMeaning.of(incoming, held, why, setup.tracking().time());
    }

    private void respond(Settled settled) throws IOException, ServletException {
        if (breakerOpen) {
            sender.breakerOpen();
            return;
        }
        if (settled instanceof Settled.Answered told) {
            sender.tell(told.answer());
            return;
        }
        ResponseMeaning.Kind kind = verdict().kind();
        permit.ended(
                switch (kind) {
                    case FAIL -> failedHow();
                    case DROP -> RouteBreakers.HandlerEnd.NOT_JUDGED;
                    case KEEP, REFUSE -> RouteBreakers.HandlerEnd.SUCCEEDED;
                });
        if (settled instanceof Settled.EffectCommitted || kind == ResponseMeaning.Kind.KEEP) {
            sender.committed();
        }
        ClassifiedException why = thrown;
        sender.send(settled, why);
    }
}
