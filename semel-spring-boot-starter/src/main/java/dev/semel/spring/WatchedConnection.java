package dev.semel.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection, or one of its statements, that a handler took outside the ledger's transactions. Reports everything except
 * queries, because it may be committed at once.
 */
record WatchedConnection(Object real, Runnable onWrite) implements InvocationHandler {
    private static final Set<String> WITH_SQL = Set.of(
            "prepareStatement",
            "prepareCall",
            "execute",
            "executeQuery",
            "executeUpdate",
            "executeLargeUpdate",
            "addBatch");

    static Connection of(Connection connection, Runnable onWrite) {
        return (Connection) proxy(Connection.class, connection, onWrite);
    }

    private static Object proxy(Class<?> type, Object real, Runnable onWrite) {
        return Proxy.newProxyInstance(
                WatchedConnection.class.getClassLoader(), new Class<?>[] {type}, new WatchedConnection(real, onWrite));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        if (arguments != null && arguments.length == 1 && name.equals("equals")) {
            return proxy == arguments[0] || real.equals(arguments[0]);
        }
        boolean writes = arguments != null
                && arguments.length > 0
                && WITH_SQL.contains(name)
                && arguments[0] instanceof String sql
                && !isQuery(sql);
        if (writes || name.equals("unwrap")) {
            onWrite.run();
        }
        try {
            Object result = method.invoke(real, arguments);
            // A prepared statement was checked when it was prepared.
            return name.equals("createStatement") && result != null ? proxy(Statement.class, result, onWrite) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean isQuery(String sql) {
        String text = sql.stripLeading().toLowerCase(Locale.ROOT);
        return text.startsWith("select") && !text.contains("for update") && !text.contains(" into ")
                || text.startsWith("values")
                || text.startsWith("show")
                || text.startsWith("pragma");
    }
}
