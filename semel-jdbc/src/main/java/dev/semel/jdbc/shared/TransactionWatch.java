package dev.semel.jdbc.shared;

import java.sql.SQLException;

/** An engine's knowledge of the transaction whose connection a handler has. */
public interface TransactionWatch {
    SqlRules rules();

    /**
     * A handler is about to leave something on the session that outlives the transaction.
     *
     * @throws SQLException when the session cannot be discarded afterwards: then the handler's call is rejected
     */
    void sessionChanges(String by) throws SQLException;

    /** A handler is about to set, release or return to a savepoint of its own. */
    default void beforeSavepoint() {}

    /**
     * Whether the transaction is still open after a call that may have ended it.
     *
     * @param failed whether the call threw
     * @param batch whether it may have sent nothing at all
     */
    boolean isOpen(boolean failed, boolean batch) throws SQLException;
}
