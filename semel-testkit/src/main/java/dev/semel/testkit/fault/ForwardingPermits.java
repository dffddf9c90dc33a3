package dev.semel.testkit.fault;

import dev.semel.store.Permits;

/** Hands everything on. */
public abstract class ForwardingPermits implements Permits {
    private final Permits delegate;

    protected ForwardingPermits(Permits delegate) {
        this.delegate = delegate;
    }

    @Override
    public Taken take(Take take) {
        return delegate.take(take);
    }

    @Override
    public int removeFull() {
        return delegate.removeFull();
    }
}
