package dev.semel.jdbc.planted.postgres;

import dev.semel.jdbc.planted.Front;
import dev.semel.jdbc.planted.shared.Rule;
import dev.semel.jdbc.planted.sqlite.Page;

/** An engine may use the front, what is shared and its own driver, but no other engine and no other driver. */
public final class Claim {
    public Object allowed() {
        return new Object[] {Front.allowed(), new Rule(), new org.postgresql.ds.PGSimpleDataSource()};
    }

    public Object otherEngine() {
        return new Page();
    }

    public Object otherDriver() {
        return new org.sqlite.SQLiteDataSource();
    }
}
