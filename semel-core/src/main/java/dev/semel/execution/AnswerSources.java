package dev.semel.execution;

import dev.semel.key.ValueCodec;

/**
 * Where the answers to calls come from: the ledger, and the results that this process knows.
 *
 * @param audits gets the replays and conflicts
 */
record AnswerSources(GroupedLedger ledger, ResultCache results, ValueCodec codec, AuditWriter audits) {
    <R> Answers<R> to(PreparedCall<?, R> prepared) {
        return new Answers<>(this, prepared);
    }
}
