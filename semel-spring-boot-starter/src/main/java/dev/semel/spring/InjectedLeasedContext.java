package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Sent;
import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;

/** The bean that an application injects: passes each call on to the context of the current leased run. */
final class InjectedLeasedContext implements LeasedContext {
    private final RunContexts contexts;

    InjectedLeasedContext(RunContexts contexts) {
        this.contexts = contexts;
    }

    @Override
    public Tenant tenant() {
        return contexts.leased().tenant();
    }

    @Override
    public String correlationId() {
        return contexts.leased().correlationId();
    }

    @Override
    public int attempt() {
        return contexts.leased().attempt();
    }

    @Override
    public boolean replayed() {
        return contexts.leased().replayed();
    }

    @Override
    public long fence() {
        return contexts.leased().fence();
    }

    @Override
    public String downstreamKey() {
        return contexts.leased().downstreamKey();
    }

    @Override
    public <T> @Nullable T step(String name, Class<T> result, Step<T> part) throws Exception {
        return contexts.leased().step(name, result, part);
    }

    @Override
    public <T> @Nullable T step(String name, Class<T> result, boolean repeatable, Step<T> part) throws Exception {
        return contexts.leased().step(name, result, repeatable, part);
    }

    @Override
    public <T> @Nullable T step(String name, Operation.TypeRef<T> result, Step<T> part) throws Exception {
        return contexts.leased().step(name, result, part);
    }

    @Override
    public <T> @Nullable T step(String name, Operation.TypeRef<T> result, boolean repeatable, Step<T> part)
            throws Exception {
        return contexts.leased().step(name, result, repeatable, part);
    }

    @Override
    public void note(String name, String value) {
        contexts.leased().note(name, value);
    }

    @Override
    public void note(String name, long value) {
        contexts.leased().note(name, value);
    }

    @Override
    public void ensureHeld() {
        contexts.leased().ensureHeld();
    }

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        return contexts.leased().send(channel, message);
    }
}
