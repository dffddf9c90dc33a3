package dev.semel.testkit.fault;

import dev.semel.store.ActivityLog;
import dev.semel.store.AuditLog;
import dev.semel.store.Inspection;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.Signals;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.util.Optional;
import java.util.OptionalLong;

/** Hands everything on. Extend it to change one thing: a planted bug, a fault, a count. */
public abstract class ForwardingStore implements Store {
    private final Store delegate;

    protected ForwardingStore(Store delegate) {
        this.delegate = delegate;
    }

    protected final Store delegate() {
        return delegate;
    }

    @Override
    public String name() {
        return delegate.name();
    }

    @Override
    public Ledger ledger() {
        return delegate.ledger();
    }

    @Override
    public AuditLog audit() {
        return delegate.audit();
    }

    @Override
    public Switchboard switchboard() {
        return delegate.switchboard();
    }

    @Override
    public Optional<Transactions> transactions() {
        return delegate.transactions();
    }

    @Override
    public Optional<Queue> queue() {
        return delegate.queue();
    }

    @Override
    public Optional<Signals> signals() {
        return delegate.signals();
    }

    @Override
    public Optional<Permits> permits() {
        return delegate.permits();
    }

    @Override
    public Optional<ActivityLog> activity() {
        return delegate.activity();
    }

    @Override
    public OptionalLong bytes() {
        return delegate.bytes();
    }

    @Override
    public OptionalLong auditBytes() {
        return delegate.auditBytes();
    }

    @Override
    public Inspection inspect() {
        return delegate.inspect();
    }

    @Override
    public void close() {
        delegate.close();
    }
}
