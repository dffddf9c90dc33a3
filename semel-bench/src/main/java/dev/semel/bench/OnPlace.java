package dev.semel.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A session in a schema of its own, which is dropped when it is closed. */
final class OnPlace implements ComparedLibrary.Session {
    private final PostgresPlace place;
    private final @Nullable HikariDataSource pool;
    private final ComparedLibrary.Session session;

    OnPlace(PostgresPlace place, ComparedLibrary.Session session) {
        this(place, null, session);
    }

    OnPlace(PostgresPlace place, @Nullable HikariDataSource pool, ComparedLibrary.Session session) {
        this.place = place;
        this.pool = pool;
        this.session = session;
    }

    static OnPlace open(String url, ComparedLibrary library, LongConsumer handler) throws Exception {
        PostgresPlace place = new PostgresPlace(url);
        HikariDataSource pool = place.pool(PostgresPlace.CONNECTIONS, true);
        try {
            return new OnPlace(place, pool, library.open(pool, handler));
        } catch (Exception | Error e) {
            pool.close();
            place.close();
            throw e;
        }
    }

    @Override
    public void load(int from, int count) throws Exception {
        session.load(from, count);
    }

    @Override
    public void start() throws Exception {
        session.start();
    }

    @Override
    public void send(int number) throws Exception {
        session.send(number);
    }

    @Override
    public void settle() throws Exception {
        session.settle();
    }

    @Override
    public void verify(int sent) throws Exception {
        session.verify(sent);
    }

    @Override
    public void close() {
        try {
            session.close();
        } finally {
            if (pool != null) {
                pool.close();
            }
            place.close();
        }
    }
}
