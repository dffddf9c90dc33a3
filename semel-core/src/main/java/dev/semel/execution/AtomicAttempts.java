package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.SemelException;
import dev.semel.audit.FirstRun;
import org.jspecify.annotations.Nullable;

/** The attempts of one direct atomic call: one transaction after the other, with nothing held between them. */
final class AtomicAttempts {
    private static final int MOST_OVERTAKEN = 3;

    private final DuplicateShares shares;
    private final CurrentModes modes;
    private final ResultCache results;

    AtomicAttempts(DuplicateShares shares, CurrentModes modes, ResultCache results) {
        this.shares = shares;
        this.modes = modes;
        this.results = results;
    }

    /**
     * What a kind of call makes of the outcome of a transaction.
     *
     * @param <T> what its caller gets
     */
    interface Settlement<R, T> {
        /** Effect and record are committed. */
        T executed(HandlerOutcome.Returned<R> returned);

        T answered(TransactionOutcome.RolledBackWithAnswer<R> answered);

        /** The outcome for the caller, or nothing when the next attempt is due now. */
        @Nullable
        T threw(TransactionOutcome.RolledBackByException<R> threw);

        /** An answer that was found without the record's lock. */
        T answered(Answer<R> answer);
    }

    /** One transaction after the other until there is an outcome for the caller. */
    <P, R, T> T run(AtomicTransaction<P, R> transaction, InFlightCalls.Leader leader, Settlement<R, T> settling) {
        Answers<R> answers = transaction.answers();
        DuplicateShares.Share duplicates =
                shares.of(transaction.prepared().header().operation());
        if (duplicates.isHigh()) {
            TransactionOutcome.RolledBackWithAnswer<R> stored = answers.findSettled();
            if (stored != null) {
                duplicates.count(true);
                return settling.answered(stored);
            }
        }
        int number = 1;
        int overtaken = 0;
        while (true) {
            TransactionOutcome<R> outcome;
            try {
                outcome = transaction.alone(modes.of(transaction.prepared()), number);
            } catch (SemelException.LeaseLost e) {
                if (++overtaken == MOST_OVERTAKEN) {
                    throw e;
                }
                continue;
            } catch (SemelException.OutcomeUnknown e) {
                return settling.answered(answers.uncommitted());
            } catch (SemelException.Locked e) {
                if (transaction.handlerBegan()) {
                    // Rolled back, and nobody else is running it.
                    throw e;
                }
                // On SQLite the handler of another engine holds the whole file; committed answers can be read.
                return settling.answered(answers.withoutWaiting());
            }
            if (outcome instanceof TransactionOutcome.RecordWritten<R> executed) {
                duplicates.count(false);
                results.committed(
                        transaction.prepared(), leader, executed.returned().snapshot(), FirstRun.NOT_KNOWN);
                transaction.committed();
                return settling.executed(executed.returned());
            }
            if (outcome instanceof TransactionOutcome.RolledBackWithAnswer<R> answered) {
                duplicates.count(answered.found() != null);
                return settling.answered(answered);
            }
            if (outcome instanceof TransactionOutcome.RolledBackByException<R> threw) {
                T settled = settling.threw(threw);
                if (settled != null) {
                    return settled;
                }
                number = threw.attempt() + 1;
            } else {
                modes.reload();
            }
        }
    }
}
