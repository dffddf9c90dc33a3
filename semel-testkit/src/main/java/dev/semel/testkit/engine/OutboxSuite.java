package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages that are stored when the handler has returned, together with its effect. */
abstract class OutboxSuite extends ChannelFixture {
    private static final Operation.Atomic<Order, Receipt> INNER =
            Operation.atomic("inner", Order.class, Receipt.class).withPolicy("steady");

    private int runs;

    OutboxSuite(EngineContract contract) {
        super(contract);
    }

    private static Message<Note> chat(String key) {
        return note(key, "one lane");
    }

    private static Message<Note> other(String key) {
        return Message.of(ACME, Key.of(key), new Note("one lane", "another text"));
    }

    private Answer<Receipt> sending(String key, Message<Note> message) {
        return engine.run(CHARGE, call(key), (order, tx) -> {
            runs++;
            effects.apply(tx, key);
            tx.send(CHAT, message);
            return new Receipt("r-" + key);
        });
    }

    @Test
    void conflictRollsTheEffectBackAlsoWhereTheHandlerCatchesIt() throws Exception {
        send(CHAT, "m", "one lane");
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            try {
                tx.send(CHAT, other("m"));
            } catch (SemelException.NotSent e) {
                // Shows here, or when the handler has returned.
            }
            return new Receipt("r");
        });
        assertThat(failure(answer).reason()).contains("used before with another payload");
        assertThat(effects.count("k")).isZero();
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void equalMessageThatIsThereAlreadyIsADuplicateAndTheHandlerRunsOnce() throws Exception {
        send(CHAT, "m", "one lane");
        assertExecuted(sending("k", chat("m")), "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(runs).isEqualTo(1);
        engine.handle(CHAT, listing());
        work();
        assertExecuted(sending("after it was handled", chat("m")), "r-after it was handled");
        work();
        assertThat(handled).containsExactly("m");
        assertThat(story(CHAT, "m")).containsOnlyOnce("operation.queued");
    }

    @Test
    void keysOfARunAreTheSameInEveryAttemptAndDifferentForOtherPartsAndRecords() throws Exception {
        List<Key> keys = new ArrayList<>();
        for (String call : List.of("first", "second")) {
            Answer<Receipt> answer = engine.run(CHARGE, call(call), (order, tx) -> {
                keys.add(tx.key("a"));
                keys.add(tx.key("b"));
                if (tx.attempt() == 1) {
                    throw Failure.of(Failure.Category.NETWORK, "down").asException();
                }
                return new Receipt("r");
            });
            assertExecuted(answer, "r");
        }
        assertThat(keys).hasSize(8);
        assertThat(keys.subList(0, 2)).isEqualTo(keys.subList(2, 4));
        assertThat(keys.subList(4, 6)).isEqualTo(keys.subList(6, 8));
        assertThat(new HashSet<>(keys)).hasSize(4);
    }

    @Test
    void keyWhoseMessageHasExpiredIsSentAgain() throws Exception {
        engine.handle(CHAT, listing());
        assertExecuted(sending("k1", chat("m")), "r-k1");
        work();
        time.advance(STEADY.retention().success().plusSeconds(1));
        assertExecuted(sending("k2", other("m")), "r-k2");
        work();
        assertThat(handled).containsExactly("m", "another text");
        assertThat(effects.count("k2")).isEqualTo(1);
    }

    @Test
    void keySentTwiceInOneTransactionIsADuplicateWithTheSamePayloadAndAConflictWithAnother() throws Exception {
        Answer<Receipt> same = engine.run(CHARGE, call("same"), (order, tx) -> {
            tx.send(CHAT, chat("m"));
            tx.send(CHAT, chat("m"));
            return new Receipt("r");
        });
        assertExecuted(same, "r");
        Answer<Receipt> other = engine.run(CHARGE, call("other"), (order, tx) -> {
            tx.send(CHAT, chat("n"));
            assertThatThrownBy(() -> tx.send(CHAT, other("n"))).isInstanceOf(SemelException.NotSent.class);
            return new Receipt("r");
        });
        assertThat(failure(other).reason())
                .as("a conflict fails the handler that catches it, too")
                .contains("used before with another payload");
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void invalidMessageIsRejectedByTheSendItself() throws Exception {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            assertThatThrownBy(() -> tx.send(CHAT, Message.of(ACME, Key.of("m"), new Note("", "no lane"))))
                    .isInstanceOf(SemelException.NotSent.class);
            throw failing(Failure.Category.BUSINESS_RULE);
        });
        assertThat(answer).isInstanceOf(Answer.Failed.class);
        assertThat(effects.count("k")).isZero();
    }

    @Test
    void messagesKeepTheOrderOfTheirSendsHoweverTheyAreSent() {
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(CHAT, chat("1"));
            engine.send(CHAT, chat("2")).orThrow();
            tx.send(CHAT, chat("3"));
            engine.run(INNER, call("inner"), (inner, innerTx) -> {
                innerTx.send(CHAT, chat("4"));
                return new Receipt("i");
            });
            tx.send(CHAT, chat("5"));
            engine.inTransaction(part -> {
                part.send(CHAT, chat("6"));
                return true;
            });
            tx.send(CHAT, chat("7"));
            return new Receipt("r");
        });
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("1", "2", "3", "4", "5", "6", "7");
    }

    @Test
    void anyNumberOfMessagesIsSentInOrder() {
        for (int count : List.of(2, 8, 9, 40)) {
            engine.run(CHARGE, call("k" + count), (order, tx) -> {
                IntStream.range(0, count).forEach(n -> tx.send(n % 2 == 0 ? CHAT : MAIL, chat(count + "-" + n)));
                return new Receipt("r");
            });
        }
        engine.handle(CHAT, listing());
        work();
        List<String> expected = new ArrayList<>();
        for (int count : List.of(2, 8, 9, 40)) {
            IntStream.range(0, count).filter(n -> n % 2 == 0).forEach(n -> expected.add(count + "-" + n));
        }
        assertThat(handled).containsExactlyElementsOf(expected);
        handled.clear();
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).hasSize(29);
    }

    @Test
    void delayAndDeadlineAreKept() {
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(MAIL, note("later", "l").withDelay(Duration.ofMinutes(1)));
            tx.send(CHAT, note("later in a lane", "l").withDelay(Duration.ofMinutes(1)));
            tx.send(MAIL, note("now", "l"));
            return new Receipt("r");
        });
        engine.handle(MAIL, listing());
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("now");
        time.advance(Duration.ofMinutes(1));
        work();
        assertThat(handled).containsExactlyInAnyOrder("now", "later", "later in a lane");
    }

    @Test
    void messagesOfAFailedInnerOperationAreDroppedAndThoseOfTheOuterAreKept() throws Exception {
        engine.run(CHARGE, call("k"), (order, tx) -> {
            tx.send(CHAT, chat("outer"));
            Answer<Receipt> inner = engine.run(INNER, call("inner"), (payload, innerTx) -> {
                effects.apply(innerTx, "inner");
                innerTx.send(CHAT, chat("inner"));
                throw failing(Failure.Category.BUSINESS_RULE);
            });
            assertThat(inner).isInstanceOf(Answer.Failed.class);
            return new Receipt("r");
        });
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("outer");
        assertThat(effects.count("inner")).isZero();
    }

    @Test
    void conflictOfAnInnerOperationUndoesOnlyThatOne() throws Exception {
        send(CHAT, "m", "one lane");
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "outer");
            Answer<Receipt> inner = engine.run(INNER, call("inner"), (payload, innerTx) -> {
                effects.apply(innerTx, "inner");
                innerTx.send(CHAT, other("m"));
                return new Receipt("i");
            });
            assertThat(failure(inner).reason()).contains("used before with another payload");
            return new Receipt("r");
        });
        assertExecuted(answer, "r");
        assertThat(effects.count("outer")).isEqualTo(1);
        assertThat(effects.count("inner")).isZero();
    }

    @Test
    void shadowedRunStoresNothingAndFindsTheConflict() {
        send(CHAT, "m", "one lane");
        Engine shadow = start(reopened(), settings -> settings.withMode(Mode.SHADOW));
        assertThat(shadow.run(CHARGE, call("a"), (order, tx) -> {
                    tx.send(CHAT, chat("n"));
                    return new Receipt("r");
                }))
                .isInstanceOf(Answer.Shadowed.class);
        assertThat(row(CHAT.operation(), "n")).isNull();
        Answer<Receipt> conflicting = shadow.run(CHARGE, call("b"), (order, tx) -> {
            tx.send(CHAT, other("m"));
            return new Receipt("r");
        });
        assertThat(failure(conflicting).reason()).contains("used before with another payload");
    }

    @Test
    void batchOfCallsSendsTheMessagesOfEachOnce() throws Exception {
        send(CHAT, "conflicting", "one lane");
        List<Call<Order>> calls =
                IntStream.range(0, 20).mapToObj(n -> call("k" + n)).toList();
        List<String> keys = new ArrayList<>();
        List<Answer<Receipt>> answers = engine.runAll(CHARGE, calls, (order, tx) -> sendNext(keys, tx));
        assertThat(answers).allMatch(Answer.Executed.class::isInstance);
        List<Answer<Receipt>> mixed = engine.runAll(CHARGE, List.of(call("good"), call("bad")), (order, tx) -> {
            String key = tx.correlationId().equals("c-4") ? "good" : "bad";
            effects.apply(tx, key);
            tx.send(CHAT, key.equals("good") ? chat("good") : other("conflicting"));
            return new Receipt(key);
        });
        assertExecuted(mixed.get(0), "good");
        assertThat(failure(mixed.get(1)).reason()).contains("used before with another payload");
        assertThat(effects.count("good")).isEqualTo(1);
        assertThat(effects.count("bad")).isZero();
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).hasSize(22).doesNotHaveDuplicates().contains("conflicting", "good");
    }

    private static Receipt sendNext(List<String> keys, AtomicContext tx) {
        String key = "m" + keys.size();
        keys.add(key);
        tx.send(CHAT, chat(key));
        return new Receipt(key);
    }

    @Test
    void deliveryWhoseMessageConflictsFailsAndTheOthersOfItsBatchAreDelivered() throws Exception {
        send(CHAT, "m-b", "one lane");
        engine.handle(POST, (note, tx) -> {
            effects.apply(tx, note.text());
            tx.send(CHAT, note.text().equals("b") ? other("m-b") : chat("m-" + note.text()));
        });
        for (String key : List.of("a", "b", "c")) {
            send(POST, key);
        }
        workThrough(Duration.ofSeconds(3), 4);
        assertThat(effects.count("a")).isEqualTo(1);
        assertThat(effects.count("b")).isZero();
        assertThat(effects.count("c")).isEqualTo(1);
        assertThat(row(POST, "b").state()).isEqualTo(State.FAILED_TERMINAL);
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactlyInAnyOrder("m-a", "m-b", "m-c");
    }

    @Test
    void transactionWithoutAnOperationCommitsItsEffectAndItsMessagesTogether() throws Exception {
        String returned = engine.inTransaction(tx -> {
            effects.apply(tx, "kept");
            tx.send(CHAT, chat("kept"));
            return "returned";
        });
        assertThat(returned).isEqualTo("returned");
        assertThatThrownBy(() -> engine.inTransaction(tx -> {
                    effects.apply(tx, "lost");
                    tx.send(CHAT, chat("lost"));
                    throw new IOException("the work failed");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("the work failed");
        send(CHAT, "m", "one lane");
        assertThatThrownBy(() -> engine.inTransaction(tx -> {
                    effects.apply(tx, "conflicting");
                    tx.send(CHAT, other("m"));
                    return true;
                }))
                .isInstanceOfSatisfying(
                        SemelException.NotSent.class, e -> assertThat(e.sent()).isInstanceOf(Sent.Conflict.class));
        assertThat(effects.count("kept")).isEqualTo(1);
        assertThat(effects.count("lost")).isZero();
        assertThat(effects.count("conflicting")).isZero();
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("kept", "m");
    }

    @Test
    void operationInsideATransactionWithoutOneIsCommittedWithIt() throws Exception {
        engine.inTransaction(tx -> {
            effects.apply(tx, "work");
            assertExecuted(charge("k"), "r-k");
            tx.send(CHAT, chat("m"));
            return true;
        });
        assertReplayed(charge("k"), "r-k");
        assertThatThrownBy(() -> engine.inTransaction(tx -> {
                    assertExecuted(charge("undone"), "r-undone");
                    throw new IllegalStateException("the work failed");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(effects.count("work")).isEqualTo(1);
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(effects.count("undone")).isZero();
        assertThat(row(CHARGE, "undone")).isNull();
        assertThat(Objects.requireNonNull(row(CHAT.operation(), "m")).state()).isEqualTo(State.QUEUED);
    }

    @Test
    void workInsideAHandlerThatFailsIsUndoneAndTheHandlerGoesOn() throws Exception {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "outer");
            assertThatThrownBy(() -> engine.inTransaction(part -> {
                        effects.apply(part, "part");
                        part.send(CHAT, chat("part"));
                        throw new IOException("the work failed");
                    }))
                    .isInstanceOf(IOException.class);
            return new Receipt("r");
        });
        assertExecuted(answer, "r");
        assertThat(effects.count("outer")).isEqualTo(1);
        assertThat(effects.count("part")).isZero();
        assertThat(row(CHAT.operation(), "part")).isNull();
    }

    @Test
    void conflictThatShowsEarlierAndIsCaughtStillRollsTheEffectBack() throws Exception {
        send(CHAT, "m", "one lane");
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            assertThatThrownBy(() -> {
                        tx.send(CHAT, other("m"));
                        engine.send(CHAT, chat("another message"));
                    })
                    .isInstanceOf(SemelException.NotSent.class);
            return new Receipt("r");
        });
        assertThat(failure(answer).reason()).contains("used before with another payload");
        assertThat(effects.count("k")).isZero();
        assertThat(row(CHAT.operation(), "another message")).isNull();
    }

    @Test
    void sendAfterTheHandlerHasReturnedIsRejectedAndNothingIsLostInSilence() {
        List<AtomicContext> kept = new ArrayList<>();
        engine.run(CHARGE, call("k"), (order, tx) -> {
            kept.add(tx);
            return new Receipt("r");
        });
        assertThatThrownBy(() -> kept.get(0).send(CHAT, chat("late")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("its handler has returned");
        assertThat(row(CHAT.operation(), "late")).isNull();
    }

    @Test
    void messageUnderTheKeyOfItsOwnRecordIsNotLostInSilence() throws Exception {
        Channel.Leased<Order> same = Channel.leased(CHARGE.name(), Order.class).withPolicy("steady");
        assertThatThrownBy(() -> engine.run(CHARGE, call("k"), (order, tx) -> {
                    effects.apply(tx, "k");
                    tx.send(same, Key.of("k"), order);
                    return new Receipt("r");
                }))
                .isInstanceOf(SemelException.LeaseLost.class);
        assertThat(effects.count("k")).isZero();
    }

    @Test
    void exceptionOfTheWorkComesOutAsItWasThrown() {
        for (Exception thrown : List.of(
                new InterruptedException("the work's own"),
                new SemelException.OutcomeUnknown("of another ledger", new IOException()),
                new SemelException.TransactionMustBeRetried("the work's own", new IOException()))) {
            runs = 0;
            assertThatThrownBy(() -> engine.inTransaction(tx -> {
                        runs++;
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(runs).isEqualTo(1);
        }
    }

    /** Uses a savepoint of the handler's own and returns to it. */
    private interface Undoing {
        void undo(AtomicContext tx, Body body) throws Exception;

        interface Body {
            void run() throws Exception;
        }

        Undoing BY_METHOD = (tx, body) -> {
            Savepoint savepoint = tx.connection().setSavepoint("mine");
            body.run();
            tx.connection().rollback(savepoint);
        };

        Undoing BY_STATEMENT = (tx, body) -> {
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SAVEPOINT mine");
                body.run();
                statement.execute("ROLLBACK TO SAVEPOINT mine");
            }
        };
    }

    @Test
    void savepointOfTheHandlerUndoesTheMessagesThatWereSentAfterItAndNoOthers() throws Exception {
        assumeTrue(connect().isPresent(), "the store has no savepoints");
        int calls = 0;
        for (Undoing undoing : List.of(Undoing.BY_METHOD, Undoing.BY_STATEMENT)) {
            String key = "k" + ++calls;
            Answer<Receipt> answer = engine.run(CHARGE, call(key), (order, tx) -> {
                effects.apply(tx, key + "-before");
                tx.send(CHAT, chat(key + "-before"));
                undoing.undo(tx, () -> {
                    effects.apply(tx, key + "-inside");
                    tx.send(CHAT, chat(key + "-inside"));
                    engine.send(CHAT, chat(key + "-inside too")).orThrow();
                });
                tx.send(CHAT, chat(key + "-after"));
                return new Receipt("r");
            });
            assertExecuted(answer, "r");
            assertThat(effects.count(key + "-before")).isEqualTo(1);
            assertThat(effects.count(key + "-inside")).isZero();
        }
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("k1-before", "k1-after", "k2-before", "k2-after");
    }

    @Test
    void savepointOfOneCallOfABatchUndoesNoMessageOfAnother() throws Exception {
        assumeTrue(connect().isPresent(), "the store has no savepoints");
        List<Answer<Receipt>> answers = engine.runAll(CHARGE, List.of(call("k1"), call("k2")), (order, tx) -> {
            if (++runs == 1) {
                tx.send(CHAT, chat("of the first"));
            } else {
                Undoing.BY_METHOD.undo(tx, () -> engine.send(CHAT, chat("undone")));
            }
            return new Receipt("r");
        });
        assertThat(answers).allMatch(Answer.Executed.class::isInstance);
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("of the first");
    }

    @Test
    void keyThatAnotherTransactionIsSendingIsAFailedAttemptAndTheOthersOfABatchAreRun() throws Exception {
        Connection other = connect().orElse(null);
        assumeTrue(other != null && store.name().startsWith("postgresql"), "others can write at the same time");
        other.setAutoCommit(false);
        try (Connection connection = other;
                Semel.Joined joined = engine.join(connection)) {
            joined.send(CHAT, chat("m"));
            List<Answer<Receipt>> answers =
                    engine.runAll(CHARGE, List.of(call("free"), otherPayload("locked")), (order, tx) -> {
                        tx.send(CHAT, order.amount() == 42 ? chat("n") : chat("m"));
                        return new Receipt("r");
                    });
            assertExecuted(answers.get(0), "r");
            assertThat(answers.get(1)).isInstanceOf(Answer.RetryLater.class);
            connection.rollback();
        }
    }
}
