package dev.semel.http;

/** The guarantee for a handler's effect and its response. */
public enum Level {
    /**
     * The filter owns the transaction and the handler works in it ({@link IdempotentExchange#connection}): effect and response are
     * one commit. A crash leaves both or neither. Such a request cannot be asynchronous.
     */
    SPAN,
    /**
     * The handler's own transaction writes "effect committed" just before it commits ({@link IdempotentExchange#mark}). After a
     * crash before the commit the request runs again. After a crash behind it the request is done and never runs again; its
     * response may be lost.
     */
    MARKER,
    /**
     * The handler's effect is independent of the ledger: a crash, an exception or a 5xx makes the request UNKNOWN, and a person
     * decides. It never runs twice by itself.
     */
    PLAIN
}
