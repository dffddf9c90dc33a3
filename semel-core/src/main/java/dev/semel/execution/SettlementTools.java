package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.time.TimeSource;

/**
 * What the end of every run needs: the ledger and the audit that it is written to, a judge of failed attempts, the onDead handlers,
 * and the watch that is told.
 */
record SettlementTools(AnswerSources answers, AttemptJudge attempts, DeathTools deaths, CallWatch watch) {
    GroupedLedger ledger() {
        return answers.ledger();
    }

    AuditWriter audits() {
        return answers.audits();
    }

    ResultCache results() {
        return answers.results();
    }

    TimeSource time() {
        return watch.time();
    }

    /** For a gateway whose exchange failed without effect; reports that to the watch. */
    NextRequest nextRequest(PreparedCall<?, ?> prepared, Failure failure, int attempt) {
        watch.retries(prepared, failure);
        return NextRequest.after(attempts.ofRequest(failure, attempt), audits().events(), prepared, failure);
    }
}
