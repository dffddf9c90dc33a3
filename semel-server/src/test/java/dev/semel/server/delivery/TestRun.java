package dev.semel.server.delivery;

import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Sent;
import dev.semel.Tenant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A run without a ledger. It has no steps and sends nothing. */
record TestRun(
        int attempt,
        long fence,
        String downstreamKey,
        String correlationId,
        boolean replayed,
        Map<String, Object> notes)
        implements LeasedContext {
    static final TestRun FIRST = new TestRun(1, 77, "semel-00112233445566778899aabbccddeeff", "corr-1", false);

    /** What is noted can be read. */
    TestRun(int attempt, long fence, String downstreamKey, String correlationId, boolean replayed) {
        this(attempt, fence, downstreamKey, correlationId, replayed, new ConcurrentHashMap<>());
    }

    /** The same, with nothing noted. */
    TestRun again() {
        return new TestRun(attempt, fence, downstreamKey, correlationId, replayed);
    }

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
    public void note(String name, String value) {
        notes.put(name, value);
    }

    @Override
    public void note(String name, long value) {
        notes.put(name, value);
    }

    @Override
    public void ensureHeld() {}

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        throw new UnsupportedOperationException();
    }
}
