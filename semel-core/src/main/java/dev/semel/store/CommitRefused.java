package dev.semel.store;

/**
 * The database refused to commit what the work of a transaction had written: a deferred constraint or trigger, a serialization
 * failure, an error that the work had caught and gone on from. Nothing was committed. It is the work's own failure, like an
 * exception that it throws.
 */
public final class CommitRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param why the error of the database, or of the transaction manager that commits in Semel's place */
    public CommitRefused(Exception why) {
        super("The transaction could not be committed; nothing was: " + why.getMessage(), why);
    }

    /** The exception to classify in place of this one, as the work would have got it. */
    public Throwable why() {
        Throwable cause = getCause();
        return cause == null ? this : cause;
    }
}
