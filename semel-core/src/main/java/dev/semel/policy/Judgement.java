package dev.semel.policy;

import dev.semel.Failure;

/**
 * What a thrown exception amounts to.
 *
 * @param failure what is recorded and shown
 * @param retry whether another attempt may help, attempts and time permitting
 * @param stored whether the failure would be the same again, and is kept as the answer
 * @param basis what decided on the category and the retry
 */
public record Judgement(Failure failure, boolean retry, boolean stored, JudgementBasis basis) {
    /** As the handler states it. Its category says whether it is stored. */
    public Judgement(Failure failure, boolean retry) {
        this(failure, retry, JudgementBasis.of(JudgementBasis.Source.HANDLER));
    }

    /** Its category says whether it is stored. */
    public Judgement(Failure failure, boolean retry, JudgementBasis basis) {
        this(failure, retry, failure.category().stored(), basis);
    }
}
