package dev.semel.jdbc.planted.sqlite;

/** Keeps every rule. */
public final class Page {
    public Object allowed() {
        return new org.sqlite.SQLiteDataSource();
    }
}
