package dev.semel.testkit.fault;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCount;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Hands everything on. */
public abstract class ForwardingLedger implements Ledger {
    private final Ledger delegate;

    protected ForwardingLedger(Ledger delegate) {
        this.delegate = delegate;
    }

    protected final Ledger delegate() {
        return delegate;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return delegate.reserve(modesVersion, batch);
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return delegate.move(batch);
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        return delegate.moveTogether(batch);
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        return delegate.renew(batch);
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids) {
        return delegate.find(ids);
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids, int inline) {
        return delegate.find(ids, inline);
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return delegate.steps(parent);
    }

    @Override
    public List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
        return delegate.overdue(state, operations, behind, limit);
    }

    @Override
    public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
        return delegate.overdueOutside(patienceMillis, behind, limit);
    }

    @Override
    public List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        return delegate.list(state, filter, behind, limit);
    }

    @Override
    public StateCount tally(State state, RecordFilter filter, int most) {
        return delegate.tally(state, filter, most);
    }

    @Override
    public SearchedRecords search(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        return delegate.search(state, search, behind, limit, most);
    }

    @Override
    public List<Row> stepSummaries(RecordId parent, int limit) {
        return delegate.stepSummaries(parent, limit);
    }

    @Override
    public StateCensus census(State state, @Nullable String tenant, long until, int most) {
        return delegate.census(state, tenant, until, most);
    }

    @Override
    public List<Row> range(RecordId first, RecordId last, int limit) {
        return delegate.range(first, last, limit);
    }

    @Override
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        return delegate.completedMessages(filter, behind, limit);
    }

    @Override
    public List<Row> findByCorrelation(String tenant, String correlationId, int limit) {
        return delegate.findByCorrelation(tenant, correlationId, limit);
    }

    @Override
    public List<Row> sentBy(RecordId record, int limit) {
        return delegate.sentBy(record, limit);
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return delegate.purge(limit, events);
    }
}
