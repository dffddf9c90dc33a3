package dev.semel.testkit.sim;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.Failures;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.History;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes calls, and records their answers. */
final class Client {
    static final Tenant TENANT = Tenant.of("acme");

    private final Scheduler scheduler;
    private final SimOperations business;
    private final History history;
    private final List<String> wrongs;

    Client(Scheduler scheduler, SimOperations business, History history, List<String> wrongs) {
        this.scheduler = scheduler;
        this.business = business;
        this.history = history;
        this.wrongs = wrongs;
    }

    /** Asks a node. If that dies meanwhile, the client is never told. */
    void ask(SimNode node, String operation, List<String> payloads, Duration patience) {
        Actor self = scheduler.current();
        NodeLifetime life = node.life();
        List<ClientCall> askings = new ArrayList<>();
        for (String payload : payloads) {
            long call = history.invoke(ClientCall.record(payload), payload.getBytes(StandardCharsets.UTF_8));
            askings.add(new ClientCall(payload, call));
        }
        scheduler.trace.add(scheduler.nanos(), self.name, "asks " + node.name + " for " + payloads);
        self.life = life;
        try {
            List<Answer<String>> answers = run(node, operation, askings, patience);
            scheduler.alive();
            for (int i = 0; i < answers.size(); i++) {
                if (askings.get(i).entered || !notRun(answers.get(i))) {
                    business.admitted(operation, askings.get(i));
                }
                answered(askings.get(i), answers.get(i));
            }
        } catch (SemelException e) {
            scheduler.alive();
            boolean nothing = operation.equals("charge")
                    && payloads.size() == 1
                    && (e instanceof SemelException.StoreUnavailable || e instanceof SemelException.LeaseLost);
            askings.forEach(asking -> end(asking, nothing ? Ending.FAIL : Ending.UNKNOWN, null));
        } catch (Crash died) {
            scheduler.trace.add(scheduler.nanos(), self.name, "lost its node");
        } finally {
            Thread.interrupted();
            self.life = null;
        }
    }

    private List<Answer<String>> run(SimNode node, String operation, List<ClientCall> askings, Duration patience) {
        Map<String, ClientCall> byId = new HashMap<>();
        askings.forEach(asking -> byId.put(asking.correlationId(), asking));
        List<Call<String>> calls = askings.stream()
                .map(asking -> Call.of(TENANT, key(asking.record), asking.payload)
                        .withCorrelationId(asking.correlationId())
                        .withPatience(patience))
                .toList();
        Engine engine = node.engine();
        if (operation.equals("charge")) {
            var handler = business.charge(node, id -> Objects.requireNonNull(byId.get(id)));
            return calls.size() == 1
                    ? List.of(engine.run(business.charge(), calls.get(0), handler))
                    : engine.runAll(business.charge(), calls, handler);
        }
        Operation.Leased<String, String> leased = business.leased(operation);
        var handler = business.leased(node, leased, byId::get);
        return calls.size() == 1
                ? List.of(engine.run(leased, calls.get(0), handler))
                : engine.runAll(leased, calls, handler);
    }

    static Key key(String record) {
        return Key.of(record.substring(record.indexOf('/') + 1));
    }

    private void answered(ClientCall asking, Answer<String> answer) {
        scheduler.trace.add(scheduler.nanos(), asking.record, answer.getClass().getSimpleName());
        if (answer instanceof Answer.RetryLater<String> later && later.in().isNegative()) {
            wrongs.add(asking.record + ": told to come back " + later.in() + " ago");
        }
        if (answer instanceof Answer.RetryLater<String> later && Failures.isRateLimit(later.failure())) {
            scheduler.trace.add(scheduler.nanos(), asking.record, "is over its rate limit");
        }
        if (answer instanceof Answer.RetryLater<String> later && Failures.isBreakerOpen(later.failure())) {
            scheduler.trace.add(scheduler.nanos(), asking.record, "finds its breaker open");
        }
        if (answer instanceof Answer.RetryLater<String> later
                && asking.entered
                && later.failure().reason().contains("nothing was run")) {
            wrongs.add(asking.record + ": ran, and was told that nothing was run: "
                    + later.failure().reason());
        }
        if (notRun(answer)) {
            end(asking, Ending.UNKNOWN, null);
        } else if (answer instanceof Answer.Executed<String> executed) {
            given(asking, Ending.EXECUTED, executed.result());
        } else if (answer instanceof Answer.Replayed<String> replayed) {
            given(asking, Ending.REPLAYED, replayed.result());
        } else if (answer instanceof Answer.Failed<String> failed) {
            Failure.Category category = failed.failure().category();
            if (category == Failure.Category.INVALID_OUTPUT) {
                // It ran, and the store refused what it left.
                end(asking, Ending.UNKNOWN, null);
                return;
            }
            boolean kept = category.stored() || category == Failure.Category.RATE_LIMITED;
            end(asking, kept ? Ending.FAILED : Ending.FAIL, null);
        } else if (answer instanceof Answer.Unknown) {
            end(asking, asking.entered ? Ending.UNKNOWN : Ending.BUSY, null);
        } else if (answer instanceof Answer.RetryLater) {
            end(asking, Ending.BUSY, null);
        } else if (answer instanceof Answer.Conflict) {
            end(asking, Ending.CONFLICT, null);
        } else {
            // "In progress" may also mean that a duplicate in the same process is just being answered.
            end(asking, Ending.REFUSED, null);
        }
    }

    /** The call was stopped, or of a list of calls the store failed this one, which says nothing about its record. */
    private static boolean notRun(Answer<String> answer) {
        return answer instanceof Answer.RetryLater<String> later
                        && (Failures.isRateLimit(later.failure())
                                || Failures.isBreakerOpen(later.failure())
                                || later.notice().reason().startsWith("The store was unavailable"))
                || answer instanceof Answer.Unknown<String> unknown
                        && unknown.notice().reason().contains("did not run it");
    }

    private void given(ClientCall asking, Ending ending, @Nullable String result) {
        if (result == null || !result.startsWith(asking.payload + "#")) {
            wrongs.add(asking.record + ": asked for " + asking.payload + " and was given " + result);
        }
        end(asking, ending, String.valueOf(result).getBytes(StandardCharsets.UTF_8));
    }

    private void end(ClientCall asking, Ending ending, byte @Nullable [] result) {
        asking.ending = ending;
        history.end(asking.record, asking.call, ending, Grant.NONE, result);
    }
}
