package dev.semel.store;

import dev.semel.key.RecordId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A ledger whose steps are timed; what people read is not. */
record WatchedLedger(Ledger ledger, Timing timing) implements Ledger {
    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return timing.of("reserve", () -> ledger.reserve(modesVersion, batch));
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return timing.of("move", () -> ledger.move(batch));
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        return timing.of("move", () -> ledger.moveTogether(batch));
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        return timing.of("renew", () -> ledger.renew(batch));
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids) {
        return timing.of("find", () -> ledger.find(ids));
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids, int inline) {
        return timing.of("find", () -> ledger.find(ids, inline));
    }

    @Override
    public List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
        return timing.of("overdue", () -> ledger.overdue(state, operations, behind, limit));
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return timing.of("purge", () -> ledger.purge(limit, events));
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return ledger.steps(parent);
    }

    @Override
    public List<Row> stepSummaries(RecordId parent, int limit) {
        return ledger.stepSummaries(parent, limit);
    }

    @Override
    public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
        return timing.of("overdue", () -> ledger.overdueOutside(patienceMillis, behind, limit));
    }

    @Override
    public List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        return ledger.list(state, filter, behind, limit);
    }

    @Override
    public SearchedRecords search(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        return ledger.search(state, search, behind, limit, most);
    }

    @Override
    public StateCount tally(State state, RecordFilter filter, int most) {
        return ledger.tally(state, filter, most);
    }

    @Override
    public StateCensus census(State state, @Nullable String tenant, long until, int most) {
        return ledger.census(state, tenant, until, most);
    }

    @Override
    public List<Row> range(RecordId first, RecordId last, int limit) {
        return ledger.range(first, last, limit);
    }

    @Override
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        return ledger.completedMessages(filter, behind, limit);
    }

    @Override
    public List<Row> findByCorrelation(String tenant, String correlationId, int limit) {
        return ledger.findByCorrelation(tenant, correlationId, limit);
    }

    @Override
    public List<Row> sentBy(RecordId record, int limit) {
        return ledger.sentBy(record, limit);
    }
}
