package dev.semel.jdbc.sqlite;

import dev.semel.store.Store;

/** A planted bug: a ledger on SQLite whose commits are not synced. */
public final class WeakSync {
    private WeakSync() {}

    public static Store open(String url) throws Exception {
        SqliteStore store = SqliteTap.untapped(url);
        SqliteTap.db(store).session().execute("PRAGMA synchronous = NORMAL");
        return store;
    }
}
