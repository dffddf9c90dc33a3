package dev.semel.testkit.fault;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Hands everything on. */
public abstract class ForwardingAuditLog implements AuditLog {
    private final AuditLog delegate;

    protected ForwardingAuditLog(AuditLog delegate) {
        this.delegate = delegate;
    }

    protected final AuditLog delegate() {
        return delegate;
    }

    @Override
    public void append(List<AuditEntry> entries) {
        delegate.append(entries);
    }

    @Override
    public List<AuditRow> behindHorizon(AuditRow.Position after, int limit) {
        return delegate.behindHorizon(after, limit);
    }

    @Override
    public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
        return delegate.between(after, upTo);
    }

    @Override
    public List<AuditRow> older(AuditFilter filter, AuditRow.Position before, int limit) {
        return delegate.older(filter, before, limit);
    }

    @Override
    public List<AuditRow> newest(AuditFilter filter, int limit) {
        return delegate.newest(filter, limit);
    }

    @Override
    public boolean add(Seal seal) {
        return delegate.add(seal);
    }

    @Override
    public Optional<Seal> newestSeal() {
        return delegate.newestSeal();
    }

    @Override
    public List<Seal> seals(long from, int limit) {
        return delegate.seals(from, limit);
    }

    @Override
    public Optional<PurgedSegment> purge(long ageMillis, Function<PurgedSegment, AuditEntry> event) {
        return delegate.purge(ageMillis, event);
    }
}
