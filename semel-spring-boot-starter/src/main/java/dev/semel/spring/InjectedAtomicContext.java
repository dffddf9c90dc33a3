package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import java.sql.Connection;

/** The bean that an application injects: passes each call on to the context of the current atomic run. */
final class InjectedAtomicContext implements AtomicContext {
    private final RunContexts contexts;

    InjectedAtomicContext(RunContexts contexts) {
        this.contexts = contexts;
    }

    @Override
    public Connection connection() {
        return contexts.atomic().connection();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        return contexts.atomic().unwrap(type);
    }

    @Override
    public Tenant tenant() {
        return contexts.atomic().tenant();
    }

    @Override
    public String correlationId() {
        return contexts.atomic().correlationId();
    }

    @Override
    public int attempt() {
        return contexts.atomic().attempt();
    }

    @Override
    public Key key(String what) {
        return contexts.atomic().key(what);
    }

    @Override
    public <P> void send(Channel<P> channel, Message<P> message) {
        contexts.atomic().send(channel, message);
    }
}
