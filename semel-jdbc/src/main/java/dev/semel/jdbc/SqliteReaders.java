package dev.semel.jdbc;

import dev.semel.time.TimeSource;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A few read connections, so that lookups do not queue behind the writer. What they see is committed and synced, and may be
 * one commit behind a caller whose own answer is still on its way; whoever decides anything looks again under the writer. A
 * finished record does not change before it expires or an operator touches it, so a replay may be answered from here.
 */
final class SqliteReaders implements AutoCloseable {
    /** Something to read. */
    @FunctionalInterface
    interface Query<T> {
        T run(SqliteSession session) throws SQLException;
    }

    private final SqliteFile file;
    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<SqliteSession> idle = new ArrayDeque<>();
    private final Deque<Waiter> waiting = new ArrayDeque<>();
    private int open;
    private boolean closed;

    SqliteReaders(SqliteFile file, int limit) {
        this.file = file;
        this.limit = limit;
    }

    <T> T read(Query<T> query) {
        SqliteSession session = take();
        boolean sound = false;
        try {
            T result = query.run(session);
            sound = true;
            return result;
        } catch (SQLException e) {
            throw file.errors().unavailable(e);
        } finally {
            if (sound) {
                giveBack(session);
            } else {
                drop(session);
            }
        }
    }

    private SqliteSession take() {
        Waiter waiter = null;
        lock.lock();
        try {
            if (closed) {
                throw file.errors().closed();
            }
            SqliteSession free = idle.pollLast();
            if (free != null) {
                return free;
            }
            if (open < limit) {
                open++;
            } else {
                waiter = new Waiter(file.time().gate());
                waiting.add(waiter);
            }
        } finally {
            lock.unlock();
        }
        return waiter == null ? connect() : await(waiter);
    }

    private SqliteSession connect() {
        SqliteSession session = null;
        try {
            session = file.connect(SqliteFile.Role.READ);
            return session;
        } catch (SQLException e) {
            throw file.errors().unavailable(e);
        } finally {
            if (session == null) {
                passRight();
            }
        }
    }

    private SqliteSession await(Waiter waiter) {
        try {
            waiter.gate.await();
        } catch (InterruptedException e) {
            leave(waiter);
            throw file.errors().interrupted(e);
        }
        SqliteSession handed = waiter.session;
        return handed != null ? handed : connect();
    }

    private void leave(Waiter waiter) {
        lock.lock();
        try {
            if (waiting.remove(waiter)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        SqliteSession handed = waiter.session;
        if (handed != null) {
            giveBack(handed);
        } else {
            passRight();
        }
    }

    private void giveBack(SqliteSession session) {
        lock.lock();
        try {
            Waiter next = waiting.poll();
            if (next != null) {
                next.session = session;
                next.gate.open();
                return;
            }
            if (!closed) {
                idle.addLast(session);
                return;
            }
        } finally {
            lock.unlock();
        }
        close(session);
    }

    private void drop(SqliteSession session) {
        close(session);
        passRight();
    }

    /** The right to open a connection goes to the next who waits, or back. */
    private void passRight() {
        lock.lock();
        try {
            Waiter next = waiting.poll();
            if (next == null) {
                open--;
            } else {
                next.gate.open();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        for (SqliteSession session = idle.poll(); session != null; session = idle.poll()) {
            close(session);
        }
    }

    private static void close(SqliteSession session) {
        try {
            session.close();
        } catch (SQLException e) {
            // A read connection holds nothing that could be lost.
            return;
        }
    }

    private static final class Waiter {
        private final TimeSource.Gate gate;
        private volatile @Nullable SqliteSession session;

        Waiter(TimeSource.Gate gate) {
            this.gate = gate;
        }
    }
}
