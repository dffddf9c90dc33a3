package dev.semel.jdbc.shared;

import dev.semel.store.Moved;
import java.util.List;
import java.util.function.Supplier;

/** Rolls back a transaction of the ledger's own in which one of several moves was not applied. */
public final class NotAllMoved extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Moved answer;

    private NotAllMoved(Moved answer) {
        super(null, null, false, false);
        this.answer = answer;
    }

    /** To be called inside the transaction. */
    public static Moved demandAll(List<Moved> answers) {
        Moved all = Moved.together(answers);
        if (all instanceof Moved.Applied || all instanceof Moved.Same) {
            return all;
        }
        throw new NotAllMoved(all);
    }

    /** The answer of the transaction, or the reason for its rollback. */
    public static Moved answer(Supplier<Moved> transaction) {
        try {
            return transaction.get();
        } catch (NotAllMoved e) {
            return e.answer;
        }
    }
}
