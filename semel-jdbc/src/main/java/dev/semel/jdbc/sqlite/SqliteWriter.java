package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.sqlite.WriterHandover.Ticket;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.TimeSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of the process: callers hand it over to each other, and one commit serves them all.
 *
 * <h2>Why</h2>
 *
 * SQLite has one writer for each file, and a durable commit costs a sync of the disk, many times the price of the
 * rows in it. A queue of tasks in front of one thread would share the sync, but handlers would then run on another
 * thread, without their caller's context, interrupts and locks. So the work stays on its caller's thread, and the
 * connection is handed over.
 *
 * <h2>A batch</h2>
 *
 * The first caller finds the writer free, begins a transaction ({@code BEGIN IMMEDIATE}) and runs its work under a
 * savepoint. Then it releases the savepoint, or rolls back to it. If another caller waits and the batch is neither
 * full nor old, it hands the writer over without a commit and waits for the end of the batch; otherwise it commits.
 * During a commit the next callers gather. Nothing waits on a timer: a caller that is alone commits at once.
 *
 * <h2>When an answer may be given</h2>
 *
 * Not before the commit, if the work was kept; nor if it may depend on uncommitted writes of an earlier member: a
 * replay of such a row is wrong if the commit fails. So every caller waits for the end of the batch, except a work
 * that left nothing while nothing had been written before it. An interrupt does not end the wait, because others
 * already decide about the work; it is kept for the caller.
 *
 * <h2>When a batch fails</h2>
 *
 * A commit that fails, or a statement after which SQLite has rolled the transaction back by itself (disk full, I/O
 * error; recognised by the missing savepoint), fails the whole batch. Every member then runs its work again in a
 * batch of its own, so that the cause of the failure affects only its own caller. If it fails again, that is its
 * answer.
 *
 * <h2>What a failed commit means</h2>
 *
 * In WAL mode a commit appends its pages to the log, the last of them marked as the commit, and syncs the log ({@code
 * synchronous=FULL}); only then does it publish the new end of the log in the shared index. If a write fails, the
 * mark is not in the log and nothing was committed. If the <em>sync</em> fails, this process and every other one that
 * has the file open continue from the old end: for them nothing was committed. But the pages and the mark are in the
 * file, and should all processes die now, the recovery of the next one would find them and bring the transaction
 * back. The next transaction overwrites that tail from its first page on, and since each page's checksum covers all
 * pages before it, the rest of the tail cannot be mistaken for its continuation. So after a failed sync the {@link
 * Database} is in doubt, and before it begins anything else it commits a small transaction of its own over the tail.
 * While even that fails, new callers get "store unavailable", and members of the failed batch get "outcome unknown":
 * a repeated call finds it. Earlier acknowledged commits are not affected: they were synced, and if the operating
 * system drops pages that it failed to write, these are pages of the tail, which the next transaction writes again.
 *
 * <h2>Nested calls</h2>
 *
 * A call on the thread that holds the writer joins the open transaction under its own savepoint. Its answer is as
 * provisional as the work around it.
 *
 * <h2>Transactions of the application's own</h2>
 *
 * Where the application's transaction manager begins and ends transactions, they are on its connections and cannot
 * share a commit. They take the writer {@linkplain #aside aside}: alone, with no transaction begun on the write
 * connection.
 *
 * <h2>Leaving</h2>
 *
 * An interrupted waiter takes itself out of the queue; if the writer was handed to it in that moment, it hands it on.
 * What its first batch came to is told all the same when it waits for the second time: a commit in doubt stays in
 * doubt. A work that throws undoes its savepoint and hands on like any other. What guards the queue ({@link
 * WriterHandover}) is never held while anything blocks, so that virtual threads are not pinned by it.
 *
 * <h2>Errors</h2>
 *
 * A caller that runs out of memory or stack can fail anywhere: in the driver, between a savepoint and its release, or
 * while it hands over the writer. It may be unable to call any method then. So a caller that leaves only marks its
 * ticket, by writing a field, and the next caller {@linkplain #reclaim takes the writer over}: the connection is
 * closed, the members of the batch are woken and, unless it was committed, run again alone, and the writer goes to
 * the next. After such an error inside a work the whole batch fails, because the driver may be in the middle of a
 * statement. An error after the COMMIT, during a checkpoint, runs nothing again; for one inside the COMMIT the file
 * decides.
 *
 * <h2>Bounds</h2>
 *
 * A wait for the writer ends after {@value #LONGEST_WAIT_SECONDS} s with an error that names the holder, since when
 * it holds the writer, and its task; nothing was run. A wait for the end of a batch ends later, and then the outcome
 * is unknown.
 *
 * <h2>A handler that ends the transaction</h2>
 *
 * The guard of its connection rejects statements that would. If one gets through, the work's savepoint is missing at
 * its end, although no statement failed. Its caller gets {@code TransactionEnded}, and its work is not run again; the
 * other members of the batch run again, and find their committed results.
 */
final class SqliteWriter<D extends SqliteWriter.Database> {
    /** A work and the connection it may use while it runs. */
    @FunctionalInterface
    interface Task<D, T> {
        Ended<T> run(D db) throws Exception;
    }

    /** The transaction commands of the write connection; savepoints are numbered from the outside. */
    interface Database {
        void begin() throws SQLException;

        void savepoint(int depth) throws SQLException;

        void release(int depth) throws SQLException;

        void rollbackTo(int depth) throws SQLException;

        void commit() throws SQLException;

        /** After an error inside {@link #commit}: whether the transaction is in the file nevertheless. */
        boolean hasCommitted();

        /** Called after each commit, before the writer is passed on. */
        void tend();

        /** Ends the transaction if there still is one; never fails. */
        void rollback();

        /** Rolls back, and never uses the connection again: nobody knows in which state it is. */
        void giveUp();

        /** Whether the connection is to be replaced before anybody else uses it. */
        boolean isWorn();

        /** Whether a commit that failed may still come back after a crash. */
        boolean inDoubt();

        /** Whether the database has rolled the transaction back after an error. */
        boolean rolledBackByItself();

        /** Called by the committing thread when everyone has been answered and the writer was passed on. */
        void afterCommit();
    }

    static final int MAX_BATCH = 256;

    static final int LONGEST_WAIT_SECONDS = 30;

    private static final Duration LOOK_UP = Duration.ofMillis(200);

    private static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final D db;
    private final TimeSource time;
    private final TimeSource waits;
    private final SqliteErrors errors;
    private final AtomicLong commits = new AtomicLong();
    private final AtomicLong served = new AtomicLong();
    private final WriterHandover handover;

    /** Touched by the holder only. */
    private @Nullable Batch batch;

    SqliteWriter(D db, TimeSource time, SqliteErrors errors) {
        this(db, time, TimeSource.system(), errors);
    }

    /**
     * @param time by which a batch grows old
     * @param waits by which callers wait: never a clock that is moved by hand, because they look up now and then
     */
    SqliteWriter(D db, TimeSource time, TimeSource waits, SqliteErrors errors) {
        this.db = db;
        this.time = time;
        this.waits = waits;
        this.errors = errors;
        this.handover = new WriterHandover(waits);
    }

    /** How many transactions were committed. */
    long commits() {
        return commits.get();
    }

    /** How many works the writer was given to. */
    long served() {
        return served.get();
    }

    /** Whether somebody holds the writer. */
    boolean isTaken() {
        return handover.isTaken();
    }

    /** How many wait for the writer. */
    int queued() {
        return handover.queued();
    }

    /** Whether the calling thread holds the writer. */
    boolean isMine() {
        return handover.isHeldBy(Thread.currentThread());
    }

    /** Runs a write of the ledger's own. */
    <T> T run(Task<D, T> task) throws Exception {
        return run("a write of the ledger", task);
    }

    /**
     * Runs the work and returns when what it did is durable.
     *
     * @param what the work is, for those who wait for it
     * @throws InterruptedException when the caller was interrupted before its work began
     */
    <T> T run(String what, Task<D, T> task) throws Exception {
        if (isMine()) {
            if (batch == null) {
                throw errors.insideAnother();
            }
            return nested(task);
        }
        Turn<T> first = turn(what, task, false);
        return first.lost() ? again(what, task, first.batch()) : first.answer();
    }

    /** Runs the body while nobody writes by way of this writer: for a transaction on another connection to the file. */
    <T> T aside(String what, Callable<T> body) throws Exception {
        if (isMine()) {
            throw errors.insideAnother();
        }
        Ticket ticket = new Ticket(waits, true, what);
        try {
            take(ticket);
            ticket.phase = "in a transaction of the application's own";
            try {
                return body.call();
            } finally {
                handover.pass(ticket);
            }
        } finally {
            ticket.left = true;
            if (handover.isHeldBy(ticket)) {
                reclaim();
            }
        }
    }

    private <T> T again(String what, Task<D, T> task, Batch failed) throws Exception {
        try {
            Turn<T> second = turn(what, task, true);
            if (second.lost() && second.thrown == null) {
                throw errors.commitFailed(second.batch().cause, second.batch().inDoubt);
            }
            return second.answer();
        } catch (SemelException.StoreUnavailable e) {
            throw failed.inDoubt && db.inDoubt() ? errors.stillInDoubt(e) : e;
        } catch (InterruptedException e) {
            if (failed.inDoubt && db.inDoubt()) {
                Thread.currentThread().interrupt();
                throw errors.commitFailed(failed.cause, true);
            }
            throw e;
        }
    }

    /** Lets nobody in any more, waits for those who were, then runs the last action. */
    void close(Runnable last) {
        Ticket ticket = new Ticket(waits, true, "closing the store");
        boolean interrupted = false;
        try {
            if (!handover.enterLast(ticket)) {
                return;
            }
            for (boolean mine = false; !mine; ) {
                try {
                    mine = handover.await(ticket);
                    reclaimIfOrphaned();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            last.run();
        } finally {
            ticket.left = true;
            handover.pass(ticket);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> Turn<T> turn(String what, Task<D, T> task, boolean alone) throws InterruptedException {
        Ticket ticket = new Ticket(waits, alone, what);
        Turn<T> turn = new Turn<>();
        boolean committed;
        try {
            take(ticket);
            served.incrementAndGet();
            Batch mine = batch != null ? batch : begin(ticket);
            turn.batch = mine;
            work(ticket, task, turn);
            turn.settled = !mine.wrote && !mine.broken;
            committed = end(ticket, mine);
        } finally {
            // A field can be written without stack and without memory.
            ticket.left = true;
            if (handover.isHeldBy(ticket)) {
                reclaim();
            }
        }
        if (!turn.settled) {
            awaitEnd(turn.batch());
        }
        if (committed) {
            db.afterCommit();
        }
        return turn;
    }

    private void take(Ticket ticket) throws InterruptedException {
        if (!handover.enter(ticket)) {
            throw errors.closed();
        }
        long since = waits.nanos();
        try {
            while (!handover.await(ticket)) {
                reclaimIfOrphaned();
                boolean tooLong = waits.nanos() - since > TimeUnit.SECONDS.toNanos(LONGEST_WAIT_SECONDS);
                if (tooLong && handover.leave(ticket)) {
                    throw errors.writerHeld(LONGEST_WAIT_SECONDS, handover.holder());
                }
            }
            handover.callNext();
        } catch (InterruptedException e) {
            if (!handover.leave(ticket)) {
                handOn(ticket);
            }
            throw e;
        }
    }

    private void handOn(Ticket ticket) {
        Batch open = batch;
        if (open == null) {
            handover.pass(ticket);
        } else {
            end(ticket, open);
        }
    }

    private Batch begin(Ticket ticket) {
        ticket.phase = "beginning a transaction";
        Batch opened = new Batch(waits.gate(), ticket.alone() ? 1 : MAX_BATCH, time.nanos() + MAX_AGE_NANOS);
        try {
            db.begin();
        } catch (SQLException | RuntimeException e) {
            db.rollback();
            handover.pass(ticket);
            throw e instanceof SQLException sql ? errors.cannotBegin(sql) : (RuntimeException) e;
        }
        batch = opened;
        return opened;
    }

    private <T> void work(Ticket ticket, Task<D, T> task, Turn<T> turn) {
        Batch mine = turn.batch();
        mine.size++;
        boolean whole = false;
        try {
            db.savepoint(0);
            boolean keep = false;
            ticket.phase = "running its work";
            try {
                Ended<T> ended = task.run(db);
                turn.value = ended.value();
                keep = ended.keep();
            } catch (Throwable e) {
                turn.thrown = e;
            }
            close(0, keep);
            mine.wrote |= keep;
            whole = !(turn.thrown instanceof VirtualMachineError);
        } catch (SQLException e) {
            mine.cause = e;
            if (SqliteErrors.code(e) == SqliteErrors.ERROR && !db.rolledBackByItself()) {
                turn.endedByHandler(errors.endedByHandler(e));
            }
        } finally {
            mine.broken |= !whole;
        }
    }

    private <T> T nested(Task<D, T> task) throws Exception {
        Batch mine = Objects.requireNonNull(batch);
        int depth = ++mine.depth;
        boolean whole = false;
        try {
            db.savepoint(depth);
            boolean keep = false;
            try {
                Ended<T> ended = task.run(db);
                keep = ended.keep();
                return ended.value();
            } finally {
                close(depth, keep);
                whole = true;
            }
        } finally {
            mine.depth--;
            mine.broken |= !whole;
        }
    }

    private void close(int depth, boolean keep) throws SQLException {
        if (!keep) {
            db.rollbackTo(depth);
        }
        db.release(depth);
    }

    /** Hands the writer on within the batch, or ends the batch; says whether it committed. */
    private boolean end(Ticket ticket, Batch mine) {
        boolean goesOn = !mine.broken && mine.size < mine.limit && time.nanos() - mine.until < 0 && !db.isWorn();
        if (goesOn && handover.passIf(ticket, next -> !next.alone())) {
            return false;
        }
        ticket.phase = "committing";
        boolean committed = conclude(mine);
        if (committed) {
            tend();
        }
        mine.ended = true;
        batch = null;
        handover.pass(ticket);
        mine.done.open();
        return committed;
    }

    private boolean conclude(Batch mine) {
        try {
            if (mine.broken || !mine.wrote) {
                db.rollback();
                mine.failed = mine.broken;
                return false;
            }
            db.commit();
        } catch (SQLException | RuntimeException e) {
            mine.cause = e;
            db.rollback();
            mine.inDoubt = db.inDoubt();
            return false;
        } catch (Error e) {
            if (!db.hasCommitted()) {
                throw e;
            }
        }
        mine.failed = false;
        commits.incrementAndGet();
        return true;
    }

    /** The commit stands: a failure here is not reported, and nothing runs again because of it. */
    private void tend() {
        try {
            db.tend();
        } catch (RuntimeException | Error e) {
            db.giveUp();
        }
    }

    private void reclaimIfOrphaned() {
        if (handover.isOrphaned()) {
            reclaim();
        }
    }

    /** Takes the writer from somebody who left with it. Each step may be the last, and is then done again by the next one. */
    private void reclaim() {
        Ticket ticket = new Ticket(waits, true, "taking the writer over from a caller that died");
        try {
            if (!handover.takeOver(ticket)) {
                return;
            }
            db.giveUp();
            Batch open = batch;
            if (open != null) {
                // It counts as failed unless it was committed before its last holder died.
                open.ended = true;
                open.done.open();
                batch = null;
            }
            handover.pass(ticket);
        } finally {
            ticket.left = true;
        }
    }

    /** The wait does not end by an interrupt, which is kept for the caller. */
    private void awaitEnd(Batch mine) {
        boolean interrupted = false;
        long since = waits.nanos();
        try {
            while (!mine.ended) {
                try {
                    mine.done.await(LOOK_UP);
                    reclaimIfOrphaned();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                if (!mine.ended && waits.nanos() - since > TimeUnit.SECONDS.toNanos(2 * LONGEST_WAIT_SECONDS)) {
                    throw errors.batchHeld(2 * LONGEST_WAIT_SECONDS, handover.holder());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Touched by the holder only; read by the others once it has ended. */
    private static final class Batch {
        private final TimeSource.Gate done;
        private final int limit;
        private final long until;
        private int size;
        private int depth;
        private boolean wrote;
        private boolean broken;
        private boolean failed = true;
        private boolean inDoubt;
        private @Nullable Exception cause;
        private volatile boolean ended;

        Batch(TimeSource.Gate done, int limit, long until) {
            this.done = done;
            this.limit = limit;
            this.until = until;
        }
    }

    private static final class Turn<T> {
        private @Nullable Batch batch;
        private boolean settled;
        private boolean conclusive;
        private @Nullable T value;
        private @Nullable Throwable thrown;

        Batch batch() {
            return Objects.requireNonNull(batch);
        }

        /** Its outcome is unknown, so it is not run again. */
        void endedByHandler(SemelException told) {
            if (thrown != null) {
                told.addSuppressed(thrown);
            }
            thrown = told;
            conclusive = true;
        }

        boolean lost() {
            return !settled && !conclusive && batch().failed;
        }

        @SuppressWarnings("NullAway") // a work may answer null when its type says so
        T answer() throws Exception {
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            return value;
        }
    }
}
