package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Handlers that say COMMIT or ROLLBACK to the database beside innocent ones that share their transaction. */
abstract class HandlerSqlSuite extends ChannelFixture {
    private static final List<String> TEXTS = List.of("COMMIT", "ROLLBACK", "select 1; COMMIT", "/* x */ END");
    private static final int MANY = 12;
    private static final int GUILTY = 5;

    HandlerSqlSuite(EngineContract contract) {
        super(contract);
    }

    private void needsSql() throws SQLException {
        assumeTrue(connect().isPresent(), "the store has no JDBC connection");
    }

    private static void say(AtomicContext tx, String text) throws SQLException {
        try (Statement statement = tx.connection().createStatement()) {
            statement.execute(text);
        }
    }

    @Test
    void handlerThatEndsItsTransactionIsNotExecutedAndLeavesNoEffect() throws Exception {
        needsSql();
        for (String text : TEXTS) {
            Answer<Receipt> answer = engine.run(CHARGE, call(text), (order, tx) -> {
                effects.apply(tx, text);
                say(tx, text);
                return new Receipt("never");
            });
            assertThat(failure(answer).exception()).as(text).isEqualTo(SQLException.class.getName());
            assertThat(effects.count(text)).as(text).isZero();
        }
    }

    @Test
    void callsOfABatchBesideOneThatEndsItsTransactionTakeEffectOnce() throws Exception {
        needsSql();
        for (String text : TEXTS) {
            List<Call<Order>> calls = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                calls.add(Call.of(ACME, Key.of(text + i), new Order(text + i, i)));
            }
            List<Answer<Receipt>> answers = engine.runAll(CHARGE, calls, (order, tx) -> {
                effects.apply(tx, order.item());
                if (order.amount() == GUILTY) {
                    say(tx, text);
                }
                return new Receipt(order.item());
            });
            for (int i = 0; i < MANY; i++) {
                assertThat(effects.count(text + i)).as(text + i).isEqualTo(i == GUILTY ? 0 : 1);
                assertThat(answers.get(i) instanceof Answer.Executed)
                        .as(text + i)
                        .isEqualTo(i != GUILTY);
            }
        }
    }

    @Test
    void messagesBesideOneThatEndsItsTransactionTakeEffectOnce() throws Exception {
        needsSql();
        for (String text : TEXTS) {
            Engine node = otherNode();
            node.handle(POST, (note, tx) -> {
                effects.apply(tx, note.text());
                if (note.text().equals(text + GUILTY)) {
                    say(tx, text);
                }
            });
            for (int i = 0; i < MANY; i++) {
                send(POST, text + i);
            }
            work(node);
            for (int i = 0; i < MANY; i++) {
                assertThat(effects.count(text + i)).as(text + i).isEqualTo(i == GUILTY ? 0 : 1);
                assertThat(row(POST, text + i).state())
                        .as(text + i)
                        .isEqualTo(i == GUILTY ? State.FAILED_RETRYABLE : State.COMPLETED);
            }
        }
    }

    @Test
    void messagesWhoseTransactionWasEndedByAHandlerAreUnknownAndNotRunAgain() {
        Engine node = start(whereTransactionsAreEnded(), settings -> settings);
        AtomicInteger runs = new AtomicInteger();
        node.handle(POST, (note, tx) -> runs.incrementAndGet());
        for (int i = 0; i < 3; i++) {
            send(POST, "m" + i);
        }
        work(node);
        assertThat(runs.get()).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            assertThat(row(POST, "m" + i).state()).isEqualTo(State.UNKNOWN);
        }
    }

    @Test
    void callWhoseTransactionWasEndedByItsHandlerIsNotAnsweredExecuted() {
        Engine node = start(whereTransactionsAreEnded(), settings -> settings);
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> node.run(CHARGE, call("k"), (order, tx) -> {
                    runs.incrementAndGet();
                    return new Receipt("never");
                }))
                .isInstanceOf(SemelException.TransactionEnded.class);
        assertThat(runs.get()).isEqualTo(1);
    }

    /** As if every handler had ended its transaction past the guard. */
    private ForwardingStore whereTransactionsAreEnded() {
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Transactions> transactions() {
                return super.transactions().map(each -> new ForwardingTransactions(each) {
                    @Override
                    public <T> T run(Work<T> work) throws Exception {
                        super.run(tx -> Ended.undo(work.run(tx)));
                        throw new SemelException.TransactionEnded("simulated", new SQLException("simulated"));
                    }
                });
            }
        };
    }
}
