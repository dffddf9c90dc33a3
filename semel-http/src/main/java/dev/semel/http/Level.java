package dev.semel.http;

/** What is promised of a handler's effect and its answer. */
public enum Level {
    /**
     * The filter owns the transaction and the handler works in it ({@link Exchange#connection}): effect and answer are one
     * commit. A crash leaves both or neither. Such a request cannot be asynchronous.
     */
    SPAN,
    /**
     * The handler's own transaction writes "effect committed" just before it commits ({@link Exchange#mark}). A crash before
     * that is a safe rerun; after it the request is done, never run again, and its answer may be lost.
     */
    MARKER,
    /**
     * Nothing ties the handler's effect to the ledger: a crash, an exception or a 5xx leaves it UNKNOWN, for a person to
     * decide. It is never run twice by itself.
     */
    PLAIN
}
