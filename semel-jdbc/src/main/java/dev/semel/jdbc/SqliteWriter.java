package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.TimeSource;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of the process: callers pass it from hand to hand, and one commit serves them all.
 *
 * <h2>Why</h2>
 *
 * SQLite has one writer for each file, and a durable commit costs a sync of the disk, many times the price of the rows in it.
 * A queue of tasks in front of one thread would share the sync, but a handler would then run on a stranger's thread, without
 * its caller's context, interrupts and locks. So the work stays with its caller, and the connection travels.
 *
 * <h2>A batch</h2>
 *
 * The first caller finds nobody, begins a transaction ({@code BEGIN IMMEDIATE}) and runs its work under a savepoint. Then it
 * releases the savepoint, or rolls back to it, and looks behind: if somebody waits and the batch is neither full nor old, it
 * hands the writer on without a commit and waits for the end of the batch; otherwise it commits. While a commit is on its way
 * the next callers gather. Nothing waits on a timer: a caller that is alone commits at once.
 *
 * <h2>When an answer may be given</h2>
 *
 * Not before the commit, if it was kept; nor if it may rest on what an earlier member wrote and has not committed: a replay
 * that was read from such a row is a lie if the commit fails. So everyone waits for the end of the batch, except a work that
 * left nothing behind while nothing had been written before it. The wait does not end by an interrupt, because the work is
 * already in the hands of others; the interrupt is kept for the caller.
 *
 * <h2>When a batch fails</h2>
 *
 * A commit that fails, or a statement after which SQLite has rolled the transaction back by itself (disk full, I/O error; a
 * savepoint that is gone tells), fails the whole batch. Every member then runs its work again, alone in a batch of its own,
 * so that the guilty one fails by itself and takes nobody with it. If it fails alone too, that is its answer.
 *
 * <h2>What a failed commit means</h2>
 *
 * In WAL mode a commit appends its pages to the log, the last of them marked as the commit, and syncs the log
 * ({@code synchronous=FULL}); only then does it publish the new end of the log in the shared index. If a write fails, the mark
 * is not in the log and nothing was committed. If the <em>sync</em> fails, this process and every other one that has the file
 * open go on from the old end: for them nothing was committed. But the pages and the mark are in the file, and should all
 * processes die now, the recovery of the next one would find them and bring the transaction back. The next transaction
 * overwrites that tail from its first page on, and since each page's checksum covers all pages before it, what is left of the
 * tail cannot be taken for its continuation. So after a failed sync the {@link Line} is in doubt, and before it begins
 * anything else it commits a small transaction of its own over the tail. While even that fails, new callers hear that the
 * store is unavailable, and members of the failed batch that the outcome is unknown: a repeated call finds it. What had been
 * acknowledged before is not touched: it was synced, and the operating system's forgetting of a page that it failed to write
 * concerns only pages of the tail, which the next transaction writes anew.
 *
 * <h2>Nested calls</h2>
 *
 * A work that comes back to the writer on the thread that holds it joins the open transaction under a savepoint of its own.
 * Its answer is as provisional as the work around it.
 *
 * <h2>Transactions of the application's own</h2>
 *
 * Where the application's transaction manager begins and ends transactions, they are on its connections and cannot share a
 * commit. They take the writer {@linkplain #aside aside}: alone, with no transaction begun on the line.
 *
 * <h2>Leaving</h2>
 *
 * An interrupted waiter takes itself out of the queue; if the writer was handed to it in that moment, it hands it on. What its
 * first batch came to is told all the same when it waits for the second time: a commit in doubt stays in doubt. A work
 * that throws, an {@code Error} included, undoes its savepoint and hands on like any other. The lock guards only the queue
 * and is never held while anything blocks, so that virtual threads are not pinned by it.
 */
final class SqliteWriter<L extends SqliteWriter.Line> {
    /** A work and the line it may use while it runs. */
    @FunctionalInterface
    interface Task<L, T> {
        Ended<T> run(L line) throws Exception;
    }

    /** The transaction commands of the write connection; savepoints are numbered from the outside. */
    interface Line {
        void begin() throws SQLException;

        void savepoint(int depth) throws SQLException;

        void release(int depth) throws SQLException;

        void rollbackTo(int depth) throws SQLException;

        void commit() throws SQLException;

        /** Ends the transaction if there still is one; never fails. */
        void rollback();

        /** Whether a commit that failed may still come back after a crash. */
        boolean inDoubt();

        /** Called by the committing thread when everyone has been answered and the writer was passed on. */
        void afterCommit();
    }

    static final int MAX_BATCH = 256;

    /** A tenth of a millisecond or so: a little longer than most works. */
    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 2_000 : 0;

    private static final long MAX_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final L line;
    private final TimeSource time;
    private final SqliteErrors errors;
    private final AtomicLong commits = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Ticket> waiting = new ArrayDeque<>();
    private boolean taken;
    private boolean closed;

    private volatile @Nullable Thread holder;
    private @Nullable Batch batch;

    SqliteWriter(L line, TimeSource time, SqliteErrors errors) {
        this.line = line;
        this.time = time;
        this.errors = errors;
    }

    /** How many transactions were committed. */
    long commits() {
        return commits.get();
    }

    /** Whether somebody holds the writer. */
    boolean isTaken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** How many wait for the writer. */
    int queued() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the calling thread holds the writer. */
    boolean isMine() {
        return holder == Thread.currentThread();
    }

    /**
     * Runs the work and returns when what it did is durable.
     *
     * @throws InterruptedException when the caller was interrupted before its work began
     */
    <T> T run(Task<L, T> task) throws Exception {
        if (isMine()) {
            if (batch == null) {
                throw errors.insideAnother();
            }
            return nested(task);
        }
        Turn<T> first = turn(task, false);
        return first.lost() ? again(task, first.batch) : first.answer();
    }

    /** Runs the body while nobody writes by way of this writer: for a transaction on another connection to the file. */
    <T> T aside(Callable<T> body) throws Exception {
        if (isMine()) {
            throw errors.insideAnother();
        }
        take(true);
        try {
            return body.call();
        } finally {
            pass();
        }
    }

    private <T> T again(Task<L, T> task, Batch failed) throws Exception {
        try {
            Turn<T> second = turn(task, true);
            if (second.lost() && second.thrown == null) {
                throw errors.commitFailed(second.batch.cause, second.batch.inDoubt);
            }
            return second.answer();
        } catch (SemelException.StoreUnavailable e) {
            throw failed.inDoubt && line.inDoubt() ? errors.stillInDoubt(e) : e;
        } catch (InterruptedException e) {
            if (failed.inDoubt && line.inDoubt()) {
                Thread.currentThread().interrupt();
                throw errors.commitFailed(failed.cause, true);
            }
            throw e;
        }
    }

    /** Lets nobody in any more, waits for those who were, then runs the last action. */
    void close(Runnable last) {
        Ticket ticket = new Ticket(time, true);
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            line(ticket);
        } finally {
            lock.unlock();
        }
        boolean interrupted = awaitQuietly(ticket.turn);
        try {
            last.run();
        } finally {
            pass();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> Turn<T> turn(Task<L, T> task, boolean alone) throws InterruptedException {
        take(alone);
        Batch mine = batch != null ? batch : begin(alone);
        Turn<T> turn = new Turn<>(mine);
        boolean committed = false;
        try {
            work(task, turn);
            turn.settled = !mine.wrote && !mine.broken;
        } finally {
            committed = end(mine);
        }
        if (!turn.settled && awaitQuietly(mine.done)) {
            Thread.currentThread().interrupt();
        }
        if (committed) {
            line.afterCommit();
        }
        return turn;
    }

    private void take(boolean alone) throws InterruptedException {
        Ticket ticket = new Ticket(time, alone);
        lock.lock();
        try {
            if (closed) {
                throw errors.closed();
            }
            line(ticket);
        } finally {
            lock.unlock();
        }
        try {
            ticket.await();
            holder = Thread.currentThread();
            callNext();
        } catch (InterruptedException e) {
            if (!leave(ticket)) {
                handOn();
            }
            throw e;
        }
    }

    /** Calls the next one ahead of its turn. */
    private void callNext() {
        Ticket next;
        lock.lock();
        try {
            next = waiting.peek();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.near.open();
        }
    }

    private void handOn() {
        Batch open = batch;
        if (open == null) {
            pass();
        } else {
            end(open);
        }
    }

    private Batch begin(boolean alone) {
        boolean begun = false;
        try {
            line.begin();
            begun = true;
        } catch (SQLException e) {
            throw errors.cannotBegin(e);
        } finally {
            if (!begun) {
                line.rollback();
                pass();
            }
        }
        Batch opened = new Batch(time.gate(), alone ? 1 : MAX_BATCH, time.nanos() + MAX_AGE_NANOS);
        batch = opened;
        return opened;
    }

    private <T> void work(Task<L, T> task, Turn<T> turn) {
        Batch mine = turn.batch;
        mine.size++;
        try {
            line.savepoint(0);
            boolean keep = false;
            try {
                Ended<T> ended = task.run(line);
                turn.value = ended.value();
                keep = ended.keep();
            } catch (Throwable e) {
                turn.thrown = e;
            }
            close(0, keep);
            mine.wrote |= keep;
        } catch (SQLException e) {
            mine.broken = true;
            mine.cause = e;
        }
    }

    private <T> T nested(Task<L, T> task) throws Exception {
        Batch mine = Objects.requireNonNull(batch);
        int depth = ++mine.depth;
        line.savepoint(depth);
        boolean keep = false;
        try {
            Ended<T> ended = task.run(line);
            keep = ended.keep();
            return ended.value();
        } finally {
            mine.depth--;
            close(depth, keep);
        }
    }

    private void close(int depth, boolean keep) throws SQLException {
        if (!keep) {
            line.rollbackTo(depth);
        }
        line.release(depth);
    }

    /** Hands the writer on within the batch, or ends the batch; says whether it committed. */
    private boolean end(Batch mine) {
        Ticket next = nextIn(mine);
        if (next != null) {
            holder = null;
            next.give();
            return false;
        }
        boolean committed = false;
        try {
            committed = conclude(mine);
        } finally {
            batch = null;
            pass();
            mine.done.open();
        }
        return committed;
    }

    private boolean conclude(Batch mine) {
        try {
            if (mine.broken || !mine.wrote) {
                line.rollback();
                mine.failed = mine.broken;
                return false;
            }
            line.commit();
            mine.failed = false;
            commits.incrementAndGet();
            return true;
        } catch (SQLException | RuntimeException e) {
            mine.cause = e;
            line.rollback();
            mine.inDoubt = line.inDoubt();
            return false;
        }
    }

    private @Nullable Ticket nextIn(Batch mine) {
        if (mine.broken || mine.size >= mine.limit || time.nanos() - mine.until >= 0) {
            return null;
        }
        lock.lock();
        try {
            Ticket next = waiting.peek();
            return next == null || next.alone ? null : waiting.poll();
        } finally {
            lock.unlock();
        }
    }

    private void line(Ticket ticket) {
        if (taken) {
            waiting.add(ticket);
        } else {
            taken = true;
            ticket.give();
        }
    }

    private boolean leave(Ticket ticket) {
        lock.lock();
        try {
            return waiting.remove(ticket);
        } finally {
            lock.unlock();
        }
    }

    private void pass() {
        holder = null;
        Ticket next;
        lock.lock();
        try {
            next = waiting.poll();
            taken = next != null;
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.give();
        }
    }

    private static boolean awaitQuietly(TimeSource.Gate gate) {
        boolean interrupted = false;
        while (true) {
            try {
                gate.await();
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    /**
     * A place in the line. To wake a thread takes about as long as a work to run, so whoever is next is woken while the one in
     * front works, and watches for its turn.
     */
    private static final class Ticket {
        private final TimeSource.Gate near;
        private final TimeSource.Gate turn;
        private final boolean alone;
        private volatile boolean given;

        Ticket(TimeSource time, boolean alone) {
            this.near = time.gate();
            this.turn = time.gate();
            this.alone = alone;
        }

        void give() {
            given = true;
            turn.open();
            near.open();
        }

        void await() throws InterruptedException {
            near.await();
            for (int i = 0; i < SPINS && !given; i++) {
                Thread.onSpinWait();
            }
            turn.await();
        }
    }

    /** Touched by the holder only; read by the others once {@code done} is open. */
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

        Batch(TimeSource.Gate done, int limit, long until) {
            this.done = done;
            this.limit = limit;
            this.until = until;
        }
    }

    private static final class Turn<T> {
        private final Batch batch;
        private boolean settled;
        private @Nullable T value;
        private @Nullable Throwable thrown;

        Turn(Batch batch) {
            this.batch = batch;
        }

        boolean lost() {
            return !settled && batch.failed;
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
