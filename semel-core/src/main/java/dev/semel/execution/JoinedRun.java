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
import dev.semel.store.Transactions;
import dev.semel.watch.Span;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Atomic operations inside a transaction that the caller ends. The record is locked until then; duplicates in this process
 * wait for the flight, which ends when the caller says how its transaction did.
 */
public final class JoinedRun implements Semel.Joined {
    private record Flown(PreparedCall<?, ?> prepared, InFlightCalls.Flight flight) {}

    private final EngineServices services;
    private final AtomicRunner runner;
    private final Transactions.Tx tx;
    private final List<Flown> flown = new ArrayList<>();
    private final Set<String> sent = new HashSet<>();
    private SemelException.@Nullable TransactionMustBeRetried lost;

    public JoinedRun(EngineServices services, AtomicRunner runner, Connection connection) {
        this.services = services;
        this.runner = runner;
        this.tx = AtomicRunner.transactions(services.store()).join(connection);
    }

    @Override
    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        Span span = CallSpans.begin(services, operation, call);
        try {
            return span.ended(answer(operation, call, handler, span));
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private <P, R> Answer<R> answer(
            Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler, Span span) {
        PreparedCall<P, R> prepared;
        try {
            prepared = new PreparedCall<>(services, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(Preparation.correlationId(call), String.valueOf(e.getMessage()));
        }
        AtomicAttempt<P, R> attempt = new AtomicAttempt<>(services, prepared, (payload, context) -> {
            try {
                return handler.run(payload, context);
            } catch (Exception e) {
                lost = lost(prepared, e);
                throw e;
            }
        });
        boolean mine = flown.stream()
                .anyMatch(earlier -> earlier.prepared()
                        .identity()
                        .lock()
                        .equals(prepared.identity().lock()));
        InFlightCalls.Flight flight = mine ? null : services.memory().inFlight().tryLead(prepared);
        if (!mine && flight == null) {
            // Waiting would hold the caller's connection.
            return attempt.answers().inProgress();
        }
        if (flight != null) {
            flown.add(new Flown(prepared, flight));
        }
        lost = null;
        Answer<R> answer = runner.inside(tx, attempt, prepared);
        if (lost != null) {
            throw lost;
        }
        sent.addAll(attempt.sent());
        return answer;
    }

    /**
     * The handler's transaction lost against another one: at REPEATABLE READ and above no second try inside it can succeed, so
     * its owner has to begin it anew.
     */
    private static SemelException.@Nullable TransactionMustBeRetried lost(
            PreparedCall<?, ?> prepared, Throwable thrown) {
        if (thrown instanceof SemelException.TransactionMustBeRetried known) {
            return known;
        }
        String state = LostTransaction.state(thrown);
        return state == null
                ? null
                : new SemelException.TransactionMustBeRetried(
                        prepared.name() + ": the handler's writes met those of another transaction (SQLState " + state
                                + "). Nothing of it stays. Roll your transaction back and run it again.",
                        thrown);
    }

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        return new MessageSender(services).in(tx, channel, message, null, sent);
    }

    @Override
    public void committed() {
        endFlights();
        services.memory().wakeUps().wake(sent);
        sent.clear();
    }

    @Override
    public void close() {
        endFlights();
    }

    /** Waiters look for themselves: after a commit they find the record, after a rollback they run it. */
    private void endFlights() {
        flown.forEach(each -> services.memory().inFlight().end(each.prepared(), each.flight()));
        flown.clear();
    }
}
