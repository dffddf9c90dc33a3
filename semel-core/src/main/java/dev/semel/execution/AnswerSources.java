package dev.semel.execution;

import dev.semel.key.ValueCodec;
import dev.semel.watch.Watch;

/**
 * Where the answers to calls come from: the ledger, and the results that this process knows.
 *
 * @param audits gets the replays and conflicts
 * @param watch is told of calls that the breaker stopped
 */
record AnswerSources(GroupedLedger ledger, ResultCache results, ValueCodec codec, AuditWriter audits, Watch watch) {
    <R> Answers<R> to(PreparedCall<?, R> prepared) {
        return new Answers<>(this, prepared);
    }
}
