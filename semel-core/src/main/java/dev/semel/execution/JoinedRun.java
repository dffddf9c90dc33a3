package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.policy.LostTransaction;
import dev.semel.watch.Span;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Atomic operations inside a transaction that the caller ends. The record is locked until then; duplicates in this process
 * wait until the caller says whether its transaction was committed.
 */
public final class JoinedRun implements Semel.Joined {
    private record LedCall(PreparedCall<?, ?> prepared, InFlightCalls.Leader leader) {}

    private final EngineServices services;
    private final AtomicCalls calls;
    private final Outbox outbox;
    private final List<LedCall> led = new ArrayList<>();
    private SemelException.@Nullable TransactionMustBeRetried lost;

    public JoinedRun(EngineServices services, AtomicCalls calls, Connection connection) {
        this.services = services;
        this.calls = calls;
        this.outbox = services.atomic().outbox(services.atomic().transactions().join(connection));
    }

    @Override
    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        Span span = services.watch().begin(operation, call);
        return CallSpans.ended(span, () -> answer(operation, call, handler, span));
    }

    private <P, R> Answer<R> answer(
            Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler, Span span) {
        PreparedCall<P, R> prepared;
        try {
            prepared = services.preparation().prepare(operation, call).withSpan(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(call, e);
        }
        Answers<R> answers = services.answers().to(prepared);
        RateLimits.NoPermit noPermit = services.limits().takeInTransaction(prepared);
        if (noPermit != null) {
            return answers.notAdmitted(noPermit);
        }
        AtomicTransaction<P, R> transaction =
                new AtomicTransaction<>(services.atomic(), prepared, answers, (payload, context) -> {
                    try {
                        return handler.run(payload, context);
                    } catch (Exception e) {
                        lost = lost(prepared.name(), e);
                        throw e;
                    }
                });
        boolean mine = led.stream()
                .anyMatch(earlier -> earlier.prepared()
                        .identity()
                        .lock()
                        .equals(prepared.identity().lock()));
        InFlightCalls.Leader leader = mine ? null : services.memory().inFlight().tryLead(prepared);
        if (!mine && leader == null) {
            // Waiting would hold the caller's connection.
            return answers.inProgress();
        }
        if (leader != null) {
            led.add(new LedCall(prepared, leader));
        }
        lost = null;
        Answer<R> answer = calls.inside(outbox, transaction);
        if (lost != null) {
            throw lost;
        }
        return answer;
    }

    /**
     * The handler's transaction lost a conflict with another one: at REPEATABLE READ and above no second try inside
     * it can succeed, so its owner has to start it again.
     */
    private static SemelException.@Nullable TransactionMustBeRetried lost(String name, Throwable thrown) {
        if (thrown instanceof SemelException.TransactionMustBeRetried known) {
            return known;
        }
        String state = LostTransaction.state(thrown);
        return state == null
                ? null
                : new SemelException.TransactionMustBeRetried(
                        name + ": its writes met those of another transaction (SQLState " + state
                                + "). Nothing of it stays. Roll your transaction back and run it again.",
                        thrown);
    }

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        return outbox.send(channel, message).orThrow();
    }

    @Override
    public <T, X extends Exception> T inTransaction(Semel.TransactionWork<T, X> work) throws X {
        try {
            return new OutboxTransactions(services.transactions(), services.sender()).run(outbox, work);
        } catch (Exception e) {
            SemelException.TransactionMustBeRetried mustBeRetried = lost("The work", e);
            if (mustBeRetried != null) {
                throw mustBeRetried;
            }
            throw e;
        }
    }

    @Override
    public void committed() {
        endLeads();
        outbox.committed();
    }

    @Override
    public void close() {
        endLeads();
    }

    /** Waiters look for themselves: after a commit they find the record, after a rollback they run it. */
    private void endLeads() {
        led.forEach(each -> services.memory().inFlight().end(each.leader()));
        led.clear();
    }
}
