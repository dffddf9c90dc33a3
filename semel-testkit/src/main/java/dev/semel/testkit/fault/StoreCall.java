package dev.semel.testkit.fault;

/** The calls of a store at which a fault can strike. */
public enum StoreCall {
    RESERVE,
    MOVE,
    RENEW,
    FIND,
    STEPS,
    OVERDUE,
    PURGE,
    AUDIT_APPEND,
    AUDIT_READ,
    AUDIT_SEAL,
    MODES,
    SET_MODE,
    PAUSE,
    RESUME,
    EPOCH,
    ADOPT,
    /** The transaction as a whole: its fault strikes at the commit. */
    COMMIT,
    LOOK_UP,
    WRITE,
    /** A move inside a transaction. */
    TX_MOVE,
    ENQUEUE,
    CLAIM,
    HELD_BY,
    HEAD,
    UNKNOWN_HEADS,
    OPERATIONS,
    BACKLOG,
    TAKE_PERMITS,
    WRITE_ACTIVITY,
    /** Something is sent inside a transaction. */
    TX_ENQUEUE
}
