package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.Settled;
import dev.semel.http.Problems.Problem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request to a log-only route. It passes as if there were no filter, and what the filter would have done is logged and counted.
 *
 * <p>A retry is recognized by the record of the first request, as on any other route: the same scope, key, digest and policy. Only
 * the operation has another name, so these records mean nothing to requests once the route is enforced. They hold no response, and a
 * failed request leaves none, so that none of them becomes UNKNOWN.
 */
final class LogOnlyRequest {
    private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);
    private static final String PREFIX = "log-only ";
    private static final byte[] NO_RESPONSE = new byte[0];

    private final FilterSetup setup;
    private final IncomingRequest incoming;

    LogOnlyRequest(FilterSetup setup, IncomingRequest incoming) {
        this.setup = setup;
        this.incoming = incoming;
    }

    void run(FilterChain chain) throws IOException, ServletException {
        IdempotencyFilter.AdmissionCheck admitted = admitted();
        if (admitted == null) {
            chain.doFilter(incoming.request(), incoming.response());
            return;
        }
        ObservedBody body = ObservedBody.read(incoming.request(), rule().limits());
        Ending ending = new Ending(body, begin(admitted, body));
        PassedRequest passed = new PassedRequest(body.request(), ending);
        boolean returned = false;
        try {
            chain.doFilter(passed, incoming.response());
            returned = true;
        } finally {
            if (!passed.asynchronous) {
                ending.end(!returned);
            }
        }
    }

    /** The request for the handler. Tells when an asynchronous handler has ended. */
    private final class PassedRequest extends HttpServletRequestWrapper {
        private final Ending ending;
        private volatile boolean asynchronous;

        PassedRequest(HttpServletRequest request, Ending ending) {
            super(request);
            this.ending = ending;
        }

        @Override
        public AsyncContext startAsync() {
            return startAsync(this, incoming.response());
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            AsyncContext started = super.startAsync(request, response);
            if (!asynchronous) {
                asynchronous = true;
                started.addListener(ending);
            }
            return started;
        }
    }

    /** Null when the filter has nothing to look up: it would reject the request, or the request needs no key and has none. */
    private IdempotencyFilter.@Nullable AdmissionCheck admitted() {
        List<String> keys = Collections.list(incoming.request().getHeaders(KeyHeader.NAME));
        boolean bare = keys.isEmpty() && rule().key() == Rule.KeyUse.OPTIONAL;
        IdempotencyFilter.AdmissionCheck check = new IdempotencyFilter.AdmissionCheck(setup, incoming.request());
        try {
            Problem refusal = bare ? check.refusalWithoutKey() : check.refusal(keys);
            if (refusal != null) {
                wouldReject(refusal.code());
            }
            return bare || refusal != null ? null : check;
        } catch (RuntimeException e) {
            failed("a hook of the filter failed", e);
            return null;
        }
    }

    /** Null when the filter would have answered without the handler. */
    private @Nullable GatewayRun begin(IdempotencyFilter.AdmissionCheck admitted, ObservedBody body) {
        if (body.isTooLarge() || body.isUnreadable()) {
            wouldReject(body.isTooLarge() ? ProblemCode.TOO_LARGE : ProblemCode.BODY_MALFORMED);
            return null;
        }
        try {
            byte[] digest = body.digest(incoming.match().values());
            Call<byte[]> call =
                    RequestToCall.request(incoming, admitted, digest).withPatience(Duration.ZERO);
            Settled.Begun begun = setup.gatewayRuns().begin(operation(), call);
            if (begun instanceof GatewayRun run) {
                count("executed");
                return run;
            }
            wouldTell(((Settled.Answered) begun).answer());
        } catch (SpoolBuffer.LimitExceeded e) {
            wouldReject(ProblemCode.TOO_LARGE);
        } catch (IOException e) {
            failed("the body could not be compared", e);
        } catch (SemelException e) {
            failed("the ledger failed", e);
            count(ProblemCode.STORE_UNAVAILABLE.code());
        }
        return null;
    }

    /** Repeatable, so that a crash leaves a record that the next request takes over, and none that is UNKNOWN. */
    private Operation.Leased<byte[], byte[]> operation() {
        return Operation.leased(RouteTable.shortened(PREFIX + route()), byte[].class, byte[].class)
                .withPolicy(rule().policy())
                .asRepeatable();
    }

    private void wouldTell(Answer<byte[]> answer) {
        if (answer instanceof Answer.Replayed) {
            LOG.info(
                    "log-only: {}: would replay the first response; the request passes and runs again (correlation {}).",
                    route(),
                    correlation());
            count("replayed");
        } else {
            wouldReject(answer.fold(AnswerToProblem.INSTANCE).code());
        }
    }

    private void wouldReject(ProblemCode code) {
        LOG.info(
                "log-only: {}: would reject with {} {}; the request passes (correlation {}).",
                route(),
                setup.responses().problems().status(code),
                code.code(),
                correlation());
        count(code.code());
    }

    private void failed(String what, Exception why) {
        LOG.warn("log-only: {}: {}; the request passes (correlation {}).", route(), what, correlation(), why);
    }

    private void count(String answer) {
        setup.gatewayRuns().logOnly(route(), answer);
    }

    private Rule rule() {
        return incoming.match().rule();
    }

    private String route() {
        return incoming.match().operation();
    }

    private String correlation() {
        return incoming.ids().correlation();
    }

    /** Ends the record and releases the body when the handler has ended, also an asynchronous one. */
    private final class Ending implements AsyncListener {
        private final ObservedBody body;
        private final @Nullable GatewayRun run;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile boolean failed;

        Ending(ObservedBody body, @Nullable GatewayRun run) {
            this.body = body;
            this.run = run;
        }

        void end(boolean thrown) {
            if (!ended.compareAndSet(false, true)) {
                return;
            }
            body.close();
            if (run == null) {
                return;
            }
            ResponseMeaning.Kind kind = thrown
                    ? ResponseMeaning.Kind.FAIL
                    : ResponseMeaning.kind(incoming.response().getStatus());
            try {
                switch (kind) {
                    case KEEP -> run.keep(NO_RESPONSE);
                    case REFUSE -> run.refuse(NO_RESPONSE);
                    case DROP, FAIL -> run.drop();
                }
            } catch (SemelException e) {
                LOG.warn(
                        "log-only: {}: recording the request failed; its retries may not be recognized (correlation"
                                + " {}).",
                        route(),
                        correlation(),
                        e);
            }
        }

        @Override
        public void onComplete(AsyncEvent event) {
            end(failed);
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            failed = true;
        }

        @Override
        public void onError(AsyncEvent event) {
            failed = true;
        }

        /** The handler was dispatched again and stays asynchronous. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
