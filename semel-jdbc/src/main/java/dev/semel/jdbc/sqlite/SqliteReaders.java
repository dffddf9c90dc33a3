package dev.semel.jdbc.sqlite;

import dev.semel.time.TimeSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A few read connections, so that lookups do not queue behind the writer. What they see is committed and synced, and
 * may be one commit behind a caller whose own answer is still on its way; decisions are made by another read under
 * the writer. A finished record does not change before it expires or an operator touches it, so a replay may be
 * answered from here.
 *
 * <p>A reader may run out of stack or memory anywhere. It frees its connection by writing a field, which needs
 * neither; waking the next reader needs both, so readers that wait also check now and then.
 */
final class SqliteReaders implements AutoCloseable {
    private static final Duration LOOK_UP = Duration.ofMillis(100);

    /** Something to read. */
    @FunctionalInterface
    interface Query<T> {
        T run(SqliteSession session) throws SQLException;
    }

    /** A place for one connection. Only the thread that has taken it touches any field but {@code free}. */
    private static final class Place {
        private volatile boolean free = true;
        private boolean sound;
        private @Nullable SqliteSession session;
    }

    private final SqliteFile file;
    private final Place[] places;
    private final TimeSource waits = TimeSource.system();
    private final Queue<TimeSource.Gate> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    SqliteReaders(SqliteFile file, int limit) {
        this.file = file;
        this.places = IntStream.range(0, limit).mapToObj(i -> new Place()).toArray(Place[]::new);
    }

    <T> T read(Query<T> query) {
        Place place = take();
        try {
            T result = query.run(session(place));
            place.sound = true;
            return result;
        } catch (SQLException e) {
            throw file.errors().unavailable(e);
        } finally {
            release(place);
        }
    }

    /** A connection that was left in an unknown state is replaced. */
    private SqliteSession session(Place place) throws SQLException {
        if (!place.sound) {
            close(place);
        }
        place.sound = false;
        SqliteSession session = place.session;
        if (session == null) {
            session = file.connect(SqliteFile.Role.READ);
            place.session = session;
        }
        return session;
    }

    private void release(Place place) {
        try {
            if (!place.sound) {
                close(place);
            }
        } finally {
            place.free = true;
            wakeNext();
        }
        if (closed) {
            closeFree();
        }
    }

    private void wakeNext() {
        TimeSource.Gate next = waiting.poll();
        if (next != null) {
            next.open();
        }
    }

    private Place take() {
        Place free = tryTake();
        while (free == null) {
            TimeSource.Gate gate = waits.gate();
            waiting.add(gate);
            try {
                free = tryTake();
                if (free == null) {
                    gate.await(LOOK_UP);
                    free = tryTake();
                }
            } catch (InterruptedException e) {
                throw file.errors().interrupted(e);
            } finally {
                leave(gate, free);
            }
        }
        return free;
    }

    /** A thread that was woken and found nothing wakes the next; one that dies here gives its connection back. */
    private void leave(TimeSource.Gate gate, @Nullable Place found) {
        boolean done = false;
        try {
            if (!waiting.remove(gate) && found == null) {
                wakeNext();
            }
            done = true;
        } finally {
            if (!done && found != null) {
                found.free = true;
            }
        }
    }

    private @Nullable Place tryTake() {
        synchronized (places) {
            if (closed) {
                throw file.errors().closed();
            }
            for (Place place : places) {
                if (place.free) {
                    place.free = false;
                    return place;
                }
            }
            return null;
        }
    }

    /** For tests, while nothing reads: the connections that were used. */
    List<SqliteSession> sessions() {
        return Stream.of(places)
                .flatMap(place -> Stream.ofNullable(place.session))
                .toList();
    }

    @Override
    public void close() {
        closed = true;
        closeFree();
    }

    private void closeFree() {
        synchronized (places) {
            for (Place place : places) {
                if (place.free) {
                    close(place);
                }
            }
        }
    }

    private static void close(Place place) {
        SqliteSession session = place.session;
        place.session = null;
        if (session == null) {
            return;
        }
        try {
            session.close();
        } catch (SQLException e) {
            // A read connection holds nothing that could be lost.
            return;
        }
    }
}
