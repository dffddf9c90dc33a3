package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.store.CommitRefused;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One try of a direct atomic call inside one transaction: lock and look up, run the handler, write the record. Used alone, in
 * a caller's transaction and inside another handler; it never commits.
 */
final class AtomicAttempt<P, R> {
    private final EngineServices services;
    private final PreparedCall<P, R> prepared;
    private final AtomicHandler<P, R> handler;
    private final Answers<R> answers;
    private Set<String> sent = Set.of();
    private int number = 1;
    private boolean handlerBegun;

    AtomicAttempt(EngineServices services, PreparedCall<P, R> prepared, AtomicHandler<P, R> handler) {
        this.services = services;
        this.prepared = prepared;
        this.handler = handler;
        this.answers = new Answers<>(services, prepared);
    }

    Answers<R> answers() {
        return answers;
    }

    /** The channels that the handler sent to, to be woken once that is committed. */
    Set<String> sent() {
        return sent;
    }

    /** Whether the handler began in the last transaction. */
    boolean hasRun() {
        return handlerBegun;
    }

    /** @param number of this attempt when there is no record yet that counts them */
    Ended<Attempt<R>> in(Tx tx, CurrentModes.Reading modes, int number) throws Exception {
        handlerBegun = false;
        LookupResult lookup =
                tx.lookUp(modes.version(), List.of(prepared.identity())).get(0);
        if (lookup instanceof LookupResult.ModesChanged) {
            return Ended.undo(new Attempt.ModesChanged<>());
        }
        if (lookup instanceof LookupResult.Locked) {
            return answered(answers.inProgress());
        }
        Row found = null;
        int attempt = number;
        if (lookup instanceof LookupResult.Found there) {
            Answer<R> answer = answers.of(there.row(), there.now());
            if (answer != null) {
                return Ended.undo(new Attempt.Answered<>(
                        answer, there.row().id(), new Reserved.Existing(there.row(), there.now()), null));
            }
            found = there.row();
            attempt = Math.max(number, found.status().attempt() + 1);
        }
        if (modes.mode() == Mode.HALTED) {
            return answered(answers.halted());
        }
        return prepared.late(services) ? answered(answers.late()) : run(tx, modes.mode(), attempt, found);
    }

    private Ended<Attempt<R>> answered(Answer<R> answer) {
        return Ended.undo(new Attempt.Answered<>(answer, prepared.id(), null, null));
    }

    /** How the try ended whose transaction the database refused to commit: like one whose handler threw. */
    Attempt.Threw<R> refused(CommitRefused refused) {
        return new Attempt.Threw<>(refused.why(), LeaseKeeper.Stop.NONE, number);
    }

    /** How the try ended whose record the store refuses for its data: nothing of it is kept. */
    Attempt.Threw<R> refused(SemelException.DataRefused refused) {
        return new Attempt.Threw<>(refused, LeaseKeeper.Stop.NONE, number);
    }

    private Ended<Attempt<R>> run(Tx tx, Mode mode, int attempt, @Nullable Row found) throws Exception {
        number = attempt;
        Handled<R> handled = handled(tx, attempt);
        if (handled instanceof Handled.Threw<R> threw) {
            return Ended.undo(new Attempt.Threw<>(threw.thrown(), threw.stop(), attempt));
        }
        Handled.Returned<R> returned = (Handled.Returned<R>) handled;
        if (mode == Mode.SHADOW) {
            return answered(answers.shadowed(returned.result()));
        }
        tx.write(List.of(write(found, attempt, returned.snapshot())));
        return Ended.keep(new Attempt.Answered<>(
                answers.executed(returned.result()), prepared.id(), null, new Attempt.Snapshot(returned.snapshot())));
    }

    /** How the handler ended. */
    sealed interface Handled<R> {
        record Returned<R>(@Nullable R result, byte @Nullable [] snapshot) implements Handled<R> {}

        record Threw<R>(Throwable thrown, LeaseKeeper.Stop stop) implements Handled<R> {}
    }

    /** Runs the handler, watched for its time-out. */
    Handled<R> handled(Tx tx, int attempt) {
        tx.beforeHandler();
        handlerBegun = true;
        try (LeaseKeeper.Watched run =
                services.memory().keeper().watch(prepared.policy().limits().attemptTimeout())) {
            prepared.span().enter(attempt);
            try {
                R result = Nesting.inside(services, tx, prepared.identity().lock(), nesting -> {
                    sent = nesting.sent();
                    return handler.run(prepared.call().payload(), new Context(tx, attempt));
                });
                return new Handled.Returned<>(result, encode(result));
            } catch (Throwable thrown) {
                if (thrown instanceof VirtualMachineError) {
                    tx.abandon();
                }
                return new Handled.Threw<>(thrown, run.handlerEnded());
            } finally {
                prepared.span().leave();
            }
        }
    }

    private byte @Nullable [] encode(@Nullable R result) {
        try {
            return services.tools()
                    .codec()
                    .encode(result, prepared.operation().definition().result());
        } catch (SemelException.Invalid e) {
            throw new Failure.Thrown(Failure.of(Failure.Category.BUG, String.valueOf(e.getMessage())), e);
        }
    }

    RecordWrite write(@Nullable Row found, int attempt, byte @Nullable [] snapshot) {
        Policy policy = prepared.policy();
        return new RecordWrite(
                found == null ? prepared.id() : found.id(),
                prepared.header(),
                State.COMPLETED,
                new RecordWrite.Times(policy.retention().success().toMillis(), 0, attempt),
                new RecordWrite.Outcome(snapshot, null),
                services.audits().events().outcome(EventType.OPERATION_EXECUTED, prepared.about(), Map.of()));
    }

    private final class Context implements AtomicContext {
        private final Tx tx;
        private final int attempt;

        Context(Tx tx, int attempt) {
            this.tx = tx;
            this.attempt = attempt;
        }

        @Override
        public Connection connection() {
            Connection connection = tx.connection();
            if (connection == null) {
                throw new SemelException.Invalid("The store " + services.store().name()
                        + " has no JDBC connection. Use unwrap(...) with the store's own type.");
            }
            return connection;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return tx.unwrap(type);
        }

        @Override
        public <T> Sent.Accepted send(Channel<T> channel, Message<T> message) {
            return new MessageSender(services).in(tx, channel, message, prepared.id(), sent);
        }

        @Override
        public Tenant tenant() {
            return prepared.call().tenant();
        }

        @Override
        public String correlationId() {
            return prepared.correlationId();
        }

        @Override
        public int attempt() {
            return attempt;
        }
    }
}
