package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.BatchParts;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.Uninterrupted;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Access to the file: writes go through the one writer, reads go beside it. */
final class SqliteAccess {
    /** A write of Semel's own. */
    @FunctionalInterface
    interface Write<T> {
        T run(SqliteWriteConnection db) throws SQLException;
    }

    private static final String FENCE = "SELECT fence FROM semel_meta";

    private final SqliteFile file;
    private final SqliteWriteConnection db;
    private final SqliteWriter<SqliteWriteConnection> writer;
    private final SqliteReaders readers;

    SqliteAccess(
            SqliteFile file,
            SqliteWriteConnection db,
            SqliteWriter<SqliteWriteConnection> writer,
            SqliteReaders readers) {
        this.file = file;
        this.db = db;
        this.writer = writer;
        this.readers = readers;
    }

    /** An interrupt does not stop a write of Semel's own; it is kept for the caller. */
    <T> T write(Write<T> write) {
        SqlitePatience patience = new SqlitePatience(this, false);
        while (true) {
            try {
                return Uninterrupted.repeating(() -> written(write));
            } catch (SemelException.Locked e) {
                patience.demandMore(e);
            }
        }
    }

    /** Moves with each commit of any process. */
    long committedFence() {
        return readers.read(session -> session.first(FENCE, SqliteSession.NOTHING, row -> row.getLong(1))
                .orElse(0L));
    }

    /** The write for each item of a batch. */
    @FunctionalInterface
    interface Each<I, O> {
        List<O> run(List<I> items) throws SQLException;
    }

    /** A batch in one commit; in several if some of its items are refused for their data, which are answered for themselves. */
    <I, O> List<O> writeEach(
            List<I> batch, Function<SqliteWriteConnection, Each<I, O>> each, BiFunction<I, SemelException, O> refused) {
        try {
            return write(db -> each.apply(db).run(batch));
        } catch (SemelException.DataRefused e) {
            Map<I, O> answers = new IdentityHashMap<>();
            BatchParts.each(
                    batch,
                    e,
                    (part, hasty) -> {
                        List<O> done = write(db -> each.apply(db).run(part));
                        for (int i = 0; i < part.size(); i++) {
                            answers.put(part.get(i), done.get(i));
                        }
                    },
                    (item, why) -> answers.put(item, refused.apply(item, why)));
            return batch.stream().map(answers::get).toList();
        }
    }

    private <T> T written(Write<T> write) {
        try {
            return writer.run(held -> Ended.keep(write.run(held)));
        } catch (SQLException e) {
            throw file.errors().writeFailed(e);
        } catch (InterruptedException e) {
            throw file.errors().interrupted(e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("A write of Semel's own throws nothing else.", e);
        }
    }

    /** Sees the calling thread's own uncommitted writes, if it holds the writer. */
    <T> T read(SqliteReaders.Query<T> query) {
        if (!writer.isMine()) {
            return readers.read(query);
        }
        try {
            return query.run(db.session());
        } catch (SQLException e) {
            throw file.errors().unavailable(e);
        }
    }

    /** For tests. */
    SqliteReaders readers() {
        return readers;
    }

    long now() {
        return file.time().millis();
    }

    SqliteFile file() {
        return file;
    }

    SqliteErrors errors() {
        return file.errors();
    }

    SqliteWriter<SqliteWriteConnection> writer() {
        return writer;
    }

    void close() {
        try {
            writer.close(() -> {
                readers.close();
                try {
                    db.close();
                } catch (SQLException e) {
                    throw new SemelException.StoreUnavailable(
                            file.errors().store() + ": closing failed; everything acknowledged is durable.", e);
                }
            });
        } finally {
            readers.close();
        }
    }
}
