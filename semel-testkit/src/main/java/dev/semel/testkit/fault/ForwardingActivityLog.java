package dev.semel.testkit.fault;

import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import java.util.List;
import java.util.OptionalLong;

/** Hands everything on. */
public abstract class ForwardingActivityLog implements ActivityLog {
    private final ActivityLog delegate;

    protected ForwardingActivityLog(ActivityLog delegate) {
        this.delegate = delegate;
    }

    @Override
    public void write(List<ActivityRow> rows) {
        delegate.write(rows);
    }

    @Override
    public List<ActivityRow> read(ActivityStep step, String tenant, long from, long until) {
        return delegate.read(step, tenant, from, until);
    }

    @Override
    public OptionalLong oldest(ActivityStep step, String tenant) {
        return delegate.oldest(step, tenant);
    }

    @Override
    public int purge(ActivityStep step, long before, int limit) {
        return delegate.purge(step, before, limit);
    }
}
