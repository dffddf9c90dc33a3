package dev.semel.server.delivery;

import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Sent;
import dev.semel.Tenant;

/** A run without a ledger. It has no steps and sends nothing. */
record TestRun(int attempt, long fence, String downstreamKey, String correlationId, boolean replayed)
        implements LeasedContext {
    static final TestRun FIRST = new TestRun(1, 77, "semel-00112233445566778899aabbccddeeff", "corr-1", false);

    @Override
    public Tenant tenant() {
        return Tenant.of("acme");
    }

    @Override
    public <T> T step(String name, Operation.TypeRef<T> result, Step<T> part) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T step(String name, Operation.TypeRef<T> result, boolean repeatable, Step<T> part) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void ensureHeld() {}

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        throw new UnsupportedOperationException();
    }
}
