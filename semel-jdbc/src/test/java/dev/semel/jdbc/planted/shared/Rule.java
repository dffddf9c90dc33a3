package dev.semel.jdbc.planted.shared;

import dev.semel.jdbc.planted.Front;
import dev.semel.jdbc.planted.sqlite.Page;

/** What is shared knows neither the front nor an engine nor a driver. */
public final class Rule {
    public Object front() {
        return Front.allowed();
    }

    public Object engine() {
        return new Page();
    }

    public Object driver() {
        return new org.postgresql.ds.PGSimpleDataSource();
    }
}
