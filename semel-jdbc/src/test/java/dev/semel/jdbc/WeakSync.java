package dev.semel.jdbc;

import dev.semel.store.Store;
import java.lang.reflect.Field;
import java.nio.file.Path;

/** A planted bug: a ledger on SQLite whose commits are not synced. */
public final class WeakSync {
    private WeakSync() {}

    public static Store open(String url) throws Exception {
        SqliteStore store = SqliteFixture.open(Path.of(url.substring("sqlite:".length())));
        SqliteLine line = (SqliteLine) field(field(store, "access"), "line");
        line.session().execute("PRAGMA synchronous = NORMAL");
        return store;
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
