package dev.semel.jdbc.shared;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** A planted bug: the real connection behind the one that a handler was given. */
public final class UnguardedConnection {
    private UnguardedConnection() {}

    public static Connection real(Connection guarded) {
        try {
            InvocationHandler guard = Proxy.getInvocationHandler(guarded);
            Field target = guard.getClass().getDeclaredField("target");
            target.setAccessible(true);
            return (Connection) target.get(guard);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("The guard has no target any more.", e);
        }
    }
}
