package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sqlite.SQLiteErrorCode;

@Timeout(300)
class SqliteWriterTest {
    private final ScriptedDatabase db = new ScriptedDatabase();
    private final ManualTime time = new ManualTime(0);
    private final SqliteWriter<ScriptedDatabase> writer = new SqliteWriter<>(db, time, new SqliteErrors("sqlite:test"));
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void callerThatIsAloneCommitsAtOnce() throws Exception {
        assertThat(writer.run(keep("a"))).isEqualTo("a");
        assertThat(db.committed).containsExactly("a");
        assertThat(writer.commits()).isEqualTo(1);
    }

    @Test
    void callersThatQueueShareOneCommitInTheirOrder() throws Exception {
        List<Future<String>> answers = whileHeld(() -> List.of(queue(keep("b")), queue(keep("c")), queue(keep("d"))));
        for (Future<String> answer : answers) {
            answer.get();
        }
        assertThat(db.committed).containsExactly("first", "b", "c", "d");
        assertThat(writer.commits()).isEqualTo(1);
    }

    @Test
    void batchIsBounded() throws Exception {
        int callers = SqliteWriter.MAX_BATCH + 10;
        AtomicInteger largest = new AtomicInteger();
        List<Future<String>> answers = whileHeld(() -> {
            List<Future<String>> all = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                all.add(queue(held -> {
                    held.write("x");
                    largest.accumulateAndGet(held.seen().size() - held.committed.size(), Math::max);
                    return Ended.keep("x");
                }));
            }
            return all;
        });
        for (Future<String> answer : answers) {
            answer.get();
        }
        assertThat(db.committed).hasSize(callers + 1);
        assertThat(largest.get()).isBetween(1, SqliteWriter.MAX_BATCH);
        assertThat(writer.commits()).isGreaterThan(1);
    }

    @Test
    void batchThatGrewOldIsCommittedBeforeTheNextCallerRuns() throws Exception {
        List<Future<String>> answers = whileHeld(() -> {
            Future<String> slow = queue(held -> {
                held.write("slow");
                time.advance(Duration.ofSeconds(1));
                return Ended.keep("slow");
            });
            return List.of(slow, queue(held -> Ended.undo(String.join(" ", held.committed))));
        });
        assertThat(answers.get(1).get()).isEqualTo("first slow");
    }

    @Test
    void workThatThrowsUndoesOnlyItsOwnPart() throws Exception {
        List<Future<String>> answers = whileHeld(() -> List.of(queue(keep("b")), queue(fail("c")), queue(keep("d"))));
        answers.get(0).get();
        assertThatThrownBy(answers.get(1)::get).cause().hasMessage("c");
        answers.get(2).get();
        assertThat(db.committed).containsExactly("first", "b", "d");
    }

    @Test
    void workThatIsNotKeptLeavesNothing() throws Exception {
        String answer = writer.run(held -> {
            held.write("a");
            return Ended.undo("looked");
        });
        assertThat(answer).isEqualTo("looked");
        assertThat(db.committed).isEmpty();
        assertThat(writer.commits()).isZero();
    }

    @Test
    void errorHandsTheWriterOn() throws Exception {
        List<Future<String>> answers = whileHeld(() -> List.of(
                queue(held -> {
                    throw new StackOverflowError();
                }),
                queue(keep("b"))));
        assertThatThrownBy(answers.get(0)::get).hasCauseInstanceOf(StackOverflowError.class);
        answers.get(1).get();
        assertThat(db.committed).containsExactlyInAnyOrder("first", "b");
    }

    @Test
    void commitThatFailsForOneIsRunAgainByEachAloneAndFailsOnlyThatOne() throws Exception {
        db.failCommits(SQLiteErrorCode.SQLITE_FULL, writes -> writes.contains("guilty"));
        List<Future<String>> answers =
                whileHeld(() -> List.of(queue(keep("b")), queue(keep("guilty")), queue(keep("d"))));
        answers.get(0).get();
        assertThatThrownBy(answers.get(1)::get)
                .cause()
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("the disk is full");
        answers.get(2).get();
        assertThat(db.committed).containsExactlyInAnyOrder("first", "b", "d");
        assertThat(writer.commits()).isEqualTo(3);
    }

    @Test
    void transactionThatSqliteEndedByItselfIsRunAgainByEachAlone() throws Exception {
        List<Future<String>> answers = whileHeld(() -> List.of(
                queue(held -> {
                    held.loseTransaction();
                    throw new IllegalStateException("disk full");
                }),
                queue(keep("c"))));
        assertThatThrownBy(answers.get(0)::get).cause().hasMessage("disk full");
        answers.get(1).get();
        assertThat(db.committed).containsExactlyInAnyOrder("first", "c");
    }

    @Test
    void answerThatWasReadFromUncommittedRowsIsTakenBackWhenTheirCommitFails() throws Exception {
        db.failCommits(SQLiteErrorCode.SQLITE_FULL, writes -> true);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<String> first = threads.submit(() -> writer.run(held -> {
            inside.countDown();
            go.await();
            held.write("a");
            return Ended.keep("a");
        }));
        inside.await();
        Future<Boolean> replay =
                threads.submit(() -> writer.run(held -> Ended.undo(held.seen().contains("a"))));
        awaitQueued(1);
        go.countDown();
        assertThat(replay.get()).as("what was never committed is not replayed").isFalse();
        assertThatThrownBy(first::get).hasCauseInstanceOf(SemelException.StoreUnavailable.class);
    }

    @Test
    void commitThatCouldNotBeSyncedIsUnknownAndTheNextOneIsNot() throws Exception {
        db.failCommits(SQLiteErrorCode.SQLITE_IOERR_FSYNC, writes -> writes.contains("a"));
        assertThatThrownBy(() -> writer.run(keep("a"))).isInstanceOf(SemelException.OutcomeUnknown.class);
        writer.run(keep("b"));
        assertThat(db.committed).containsExactly("b");
    }

    @Test
    void commitThatCouldNotBeSyncedStaysUnknownWhileNothingCanBeBegun() {
        db.failCommits(SQLiteErrorCode.SQLITE_IOERR_FSYNC, writes -> {
            db.failBegin(true);
            return true;
        });
        assertThatThrownBy(() -> writer.run(keep("a"))).isInstanceOf(SemelException.OutcomeUnknown.class);
        assertThatThrownBy(() -> writer.run(keep("b"))).isInstanceOf(SemelException.StoreUnavailable.class);
    }

    @Test
    void transactionThatCannotBeBegunFailsItsCallerAndTheNextTriesAgain() throws Exception {
        db.failBegin(true);
        assertThatThrownBy(() -> writer.run(keep("a"))).isInstanceOf(SemelException.StoreUnavailable.class);
        db.failBegin(false);
        writer.run(keep("b"));
        assertThat(db.committed).containsExactly("b");
    }

    @Test
    void nestedCallJoinsAndIsUndoneAlone() throws Exception {
        writer.run(held -> {
            held.write("outer");
            writer.run(keep("inner"));
            assertThatThrownBy(() -> writer.run(fail("bad"))).hasMessage("bad");
            writer.run(again -> {
                again.write("not kept");
                return Ended.undo("");
            });
            return Ended.keep("");
        });
        assertThat(db.committed).containsExactly("outer", "inner");
        assertThat(writer.commits()).isEqualTo(1);
    }

    @Test
    void nestedCallGoesWithTheWorkAroundIt() {
        assertThatThrownBy(() -> writer.run(held -> {
                    writer.run(keep("inner"));
                    throw new IllegalStateException("outer");
                }))
                .hasMessage("outer");
        assertThat(db.committed).isEmpty();
    }

    @Test
    void a10_interruptedWaiterLeavesTheQueue() throws Exception {
        AtomicReference<Thread> waiter = new AtomicReference<>();
        List<Future<String>> answers = whileHeld(() -> {
            Future<String> leaving = queue(() -> {
                waiter.set(Thread.currentThread());
                return writer.run(keep("left"));
            });
            Future<String> staying = queue(keep("stayed"));
            waiter.get().interrupt();
            assertThatThrownBy(leaving::get).hasCauseInstanceOf(InterruptedException.class);
            return List.of(staying);
        });
        answers.get(0).get();
        assertThat(db.committed).containsExactly("first", "stayed");
    }

    @Test
    void a10_waiterThatIsInterruptedInTheMomentItGetsTheWriterHandsItOn() throws Exception {
        Interrupting gates = new Interrupting();
        SqliteWriter<ScriptedDatabase> fragile = new SqliteWriter<>(db, gates, gates, new SqliteErrors("sqlite:test"));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<String> first = threads.submit(() -> fragile.run(held -> {
            inside.countDown();
            go.await();
            held.write("first");
            return Ended.keep("first");
        }));
        inside.await();
        gates.interruptNext = true;
        Future<String> interrupted = threads.submit(() -> fragile.run(keep("never")));
        while (fragile.queued() < 1) {
            Thread.onSpinWait();
        }
        go.countDown();
        assertThatThrownBy(interrupted::get).hasCauseInstanceOf(InterruptedException.class);
        first.get();
        fragile.run(keep("a"));
        assertThat(db.committed).containsExactly("first", "a");
    }

    @Test
    void a10_interruptDuringTheCommitOfOthersIsKeptForTheCaller() throws Exception {
        CountDownLatch secondRuns = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Thread> caller = new AtomicReference<>();
        CountDownLatch inside = new CountDownLatch(1);
        Future<Boolean> first = threads.submit(() -> {
            caller.set(Thread.currentThread());
            writer.run(held -> {
                inside.countDown();
                awaitQueued(1);
                held.write("a");
                return Ended.keep("a");
            });
            return Thread.interrupted();
        });
        inside.await();
        Future<String> second = threads.submit(() -> writer.run(held -> {
            secondRuns.countDown();
            go.await();
            held.write("b");
            return Ended.keep("b");
        }));
        secondRuns.await();
        caller.get().interrupt();
        go.countDown();
        assertThat(first.get()).isTrue();
        second.get();
        assertThat(db.committed).containsExactly("a", "b");
    }

    @Test
    void afterClosingNothingIsRun() throws Exception {
        List<String> last = new ArrayList<>();
        writer.close(() -> last.add("closed"));
        writer.close(() -> last.add("twice"));
        assertThat(last).containsExactly("closed");
        assertThatThrownBy(() -> writer.run(keep("a")))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("is closed");
    }

    private static SqliteWriter.Task<ScriptedDatabase, String> keep(String what) {
        return held -> {
            held.write(what);
            return Ended.keep(what);
        };
    }

    private static SqliteWriter.Task<ScriptedDatabase, String> fail(String what) {
        return held -> {
            held.write(what);
            throw new IllegalStateException(what);
        };
    }

    /** A first caller holds the writer until the others have queued. */
    private List<Future<String>> whileHeld(Callable<List<Future<String>>> others) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<String> first = threads.submit(() -> writer.run(held -> {
            inside.countDown();
            go.await();
            held.write("first");
            return Ended.keep("first");
        }));
        inside.await();
        List<Future<String>> queued;
        try {
            queued = others.call();
        } finally {
            go.countDown();
        }
        first.get();
        return queued;
    }

    private Future<String> queue(SqliteWriter.Task<ScriptedDatabase, String> task) {
        return queue(() -> writer.run(task));
    }

    private Future<String> queue(Callable<String> call) {
        int before = writer.queued();
        boolean held = writer.isTaken();
        Future<String> answer = threads.submit(call);
        if (held) {
            awaitQueued(before + 1);
        }
        return answer;
    }

    private void awaitQueued(int count) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (writer.queued() < count) {
            assertThat(System.nanoTime()).isLessThan(until);
            Thread.onSpinWait();
        }
    }

    /** A clock whose next gate lets the caller through and interrupts it in the same moment. */
    private static final class Interrupting implements TimeSource {
        private boolean interruptNext;

        @Override
        public long millis() {
            return TimeSource.system().millis();
        }

        @Override
        public long nanos() {
            return TimeSource.system().nanos();
        }

        @Override
        public void sleep(Duration duration) {
            throw new IllegalStateException("The writer never sleeps.");
        }

        @Override
        public Gate gate() {
            Gate real = TimeSource.system().gate();
            boolean interrupting = interruptNext;
            interruptNext = false;
            return new Gate() {
                @Override
                public void open() {
                    real.open();
                }

                @Override
                public boolean isOpen() {
                    return real.isOpen();
                }

                @Override
                public void await() throws InterruptedException {
                    real.await();
                    if (interrupting) {
                        throw new InterruptedException();
                    }
                }

                @Override
                public boolean await(Duration atMost) throws InterruptedException {
                    boolean open = real.await(atMost);
                    if (interrupting) {
                        throw new InterruptedException();
                    }
                    return open;
                }
            };
        }
    }
}
