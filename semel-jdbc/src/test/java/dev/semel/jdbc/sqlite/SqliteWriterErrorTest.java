package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors of the virtual machine inside the writer: the next caller gets the writer. */
@Timeout(300)
class SqliteWriterErrorTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void b8_errorAtAnyCommandOfTheTransactionLosesNeitherTheWriterNorACommittedWork() throws Exception {
        for (int command = 1; command <= 24; command++) {
            assertThat(survives(new ScriptedDatabase(), command))
                    .as("error at command " + command)
                    .isTrue();
        }
    }

    @Test
    void b8_errorDuringACheckpointAfterACommitIsNotReportedAndRunsNothingAgain() throws Exception {
        ScriptedDatabase db = new ScriptedDatabase();
        SqliteWriter<ScriptedDatabase> writer = writer(db, TimeSource.system());
        AtomicInteger runs = new AtomicInteger();
        // begin 2, savepoint 2, release 1, commit 2, then the log
        db.failCommand(8);
        assertThat(claim(writer, runs)).isEqualTo("claimed");
        assertThat(db.hasFailed()).isTrue();
        assertThat(runs.get()).isEqualTo(1);
        assertThat(isServed(writer)).isTrue();
        assertThat(db.committed).containsExactly("claim", "last");
    }

    @Test
    void b8_errorInsideACompletedCommitRunsNothingAgain() throws Exception {
        ScriptedDatabase db = new ScriptedDatabase();
        SqliteWriter<ScriptedDatabase> writer = writer(db, TimeSource.system());
        AtomicInteger runs = new AtomicInteger();
        db.failCommand(7);
        assertThat(claim(writer, runs)).isEqualTo("claimed");
        assertThat(db.hasFailed()).isTrue();
        assertThat(runs.get()).isEqualTo(1);
        assertThat(db.committed).containsExactly("claim");
    }

    private static String claim(SqliteWriter<ScriptedDatabase> writer, AtomicInteger runs) throws Exception {
        return writer.run(db -> {
            runs.incrementAndGet();
            db.write("claim");
            return Ended.keep("claimed");
        });
    }

    @Test
    void b8_errorAtAnyWaitOrWakeUpDoesNotLoseTheWriter() throws Exception {
        for (int step = 1; step <= 40; step++) {
            FailingGates gates = new FailingGates();
            ScriptedDatabase db = new ScriptedDatabase();
            SqliteWriter<ScriptedDatabase> writer = writer(db, gates);
            gates.untilError.set(step);
            callAll(writer);
            gates.untilError.set(0);
            assertThat(isServed(writer)).as("error at step " + step).isTrue();
            assertThat(db.committed)
                    .as("error at step " + step)
                    .doesNotHaveDuplicates()
                    .contains("last");
        }
    }

    @Test
    void plantedTransactionThatStaysOpenAfterAnErrorIsCaught() throws Exception {
        boolean caught = false;
        for (int command = 1; command <= 24 && !caught; command++) {
            ScriptedDatabase db = new ScriptedDatabase();
            db.plantOpenTransaction();
            caught = !survives(db, command);
        }
        assertThat(caught).isTrue();
    }

    @Test
    void waitForTheWriterTimesOutAndNamesTheHolderSinceWhenAndItsTask() throws Exception {
        AtomicLong nanos = new AtomicLong();
        ScriptedDatabase db = new ScriptedDatabase();
        SqliteWriter<ScriptedDatabase> writer = writer(db, new FastClock(nanos));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Future<String> holder = threads.submit(() -> {
            Thread.currentThread().setName("slow-handler");
            return writer.run("an atomic handler", held -> {
                inside.countDown();
                go.await();
                return Ended.keep("held");
            });
        });
        inside.await();
        assertThatThrownBy(() -> writer.run(held -> Ended.keep("never")))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("could not get the writer within " + SqliteWriter.LONGEST_WAIT_SECONDS + " s")
                .hasMessageContaining("\"slow-handler\" for an atomic handler, which is running its work")
                .hasMessageContaining("Nothing was run");
        go.countDown();
        assertThat(holder.get()).isEqualTo("held");
        assertThat(writer.<String>run(held -> Ended.keep("next"))).isEqualTo("next");
    }

    @Test
    void transactionThatItsWorkEndedIsReportedAndTheWorkIsNotRunAgain() throws Exception {
        ScriptedDatabase db = new ScriptedDatabase();
        SqliteWriter<ScriptedDatabase> writer = writer(db, TimeSource.system());
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> writer.run(held -> {
                    runs.incrementAndGet();
                    held.endTransaction();
                    return Ended.keep("ended");
                }))
                .isInstanceOf(SemelException.TransactionEnded.class);
        assertThat(runs.get()).isEqualTo(1);
        assertThat(isServed(writer)).isTrue();
    }

    /** Three callers, one of which dies: those that were answered are committed, once, and the writer serves on. */
    private boolean survives(ScriptedDatabase db, int command) throws Exception {
        SqliteWriter<ScriptedDatabase> writer = writer(db, TimeSource.system());
        db.failCommand(command);
        List<String> answered = callAll(writer);
        db.failCommand(0);
        return isServed(writer)
                && db.committed.containsAll(answered)
                && db.committed.size() == new HashSet<>(db.committed).size();
    }

    private List<String> callAll(SqliteWriter<ScriptedDatabase> writer) throws Exception {
        List<Future<String>> calls = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            // As a claim or an operator's event does, it writes each time that it runs: a second run of what is
            // committed shows.
            calls.add(threads.submit(() -> writer.run(held -> {
                held.write(name);
                return name.equals("b") ? Ended.keep(nested(writer)) : Ended.keep(name);
            })));
        }
        List<String> answered = new ArrayList<>();
        for (Future<String> call : calls) {
            try {
                answered.add(call.get(120, TimeUnit.SECONDS));
            } catch (java.util.concurrent.ExecutionException e) {
                continue;
            }
        }
        return answered;
    }

    private static String nested(SqliteWriter<ScriptedDatabase> writer) throws Exception {
        return writer.run(held -> Ended.keep("b"));
    }

    private boolean isServed(SqliteWriter<ScriptedDatabase> writer) throws Exception {
        Future<String> next = threads.submit(() -> writer.run(held -> {
            held.write("last");
            return Ended.keep("last");
        }));
        try {
            return next.get(120, TimeUnit.SECONDS).equals("last");
        } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
            return false;
        }
    }

    private static SqliteWriter<ScriptedDatabase> writer(ScriptedDatabase db, TimeSource waits) {
        return new SqliteWriter<>(db, TimeSource.system(), waits, new SqliteErrors("sqlite:test"));
    }

    /** Gates that run out of memory at the n-th use. */
    private static final class FailingGates implements TimeSource {
        private final AtomicInteger untilError = new AtomicInteger();

        private void step() {
            if (untilError.get() > 0 && untilError.decrementAndGet() == 0) {
                throw new OutOfMemoryError("scripted");
            }
        }

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
            step();
            Gate real = TimeSource.system().gate();
            return new Gate() {
                @Override
                public void open() {
                    step();
                    real.open();
                }

                @Override
                public boolean isOpen() {
                    return real.isOpen();
                }

                @Override
                public void await() throws InterruptedException {
                    step();
                    real.await();
                }

                @Override
                public boolean await(Duration atMost) throws InterruptedException {
                    step();
                    return real.await(atMost);
                }
            };
        }
    }

    /** Each look at the clock is seconds after the last. */
    private record FastClock(AtomicLong now) implements TimeSource {
        @Override
        public long millis() {
            return TimeSource.system().millis();
        }

        @Override
        public long nanos() {
            return now.addAndGet(TimeUnit.SECONDS.toNanos(5));
        }

        @Override
        public void sleep(Duration duration) {
            throw new IllegalStateException("The writer never sleeps.");
        }

        @Override
        public Gate gate() {
            return TimeSource.system().gate();
        }
    }
}
