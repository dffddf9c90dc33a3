package dev.semel.examples.desk.quotes;

/** What can be done with a quote. */
public enum Action {
    CREATE,
    PRICE,
    ROUTE,
    DECIDE
}
