package dev.semel.testkit.fault;

import dev.semel.store.AuditEntry;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Hands everything on. */
public abstract class ForwardingSwitchboard implements Switchboard {
    private final Switchboard delegate;

    protected ForwardingSwitchboard(Switchboard delegate) {
        this.delegate = delegate;
    }

    protected final Switchboard delegate() {
        return delegate;
    }

    @Override
    public Modes modes() {
        return delegate.modes();
    }

    @Override
    public long set(Setting setting, AuditEntry event) {
        return delegate.set(setting, event);
    }

    @Override
    public long pause(Pause pause, AuditEntry event) {
        return delegate.pause(pause, event);
    }

    @Override
    public boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
        return delegate.resume(operation, tenant, event);
    }

    @Override
    public int epoch() {
        return delegate.epoch();
    }

    @Override
    public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
        return delegate.adopt(forRecord, adoption);
    }
}
