package dev.semel.jdbc.sqlite;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Stands between a ledger on SQLite and its write connection: every statement there passes through it, also a handler's. */
@FunctionalInterface
public interface SqliteTap {
    /** Carries the step out, or does something else. */
    @Nullable
    Object pass(Step step) throws SQLException;

    /**
     * A statement that is about to be executed.
     *
     * @param connection the real one: what is done on it passes through no tap
     */
    record Step(String sql, Connection connection, Execution execution) {
        public @Nullable Object run() throws SQLException {
            return execution.run();
        }
    }

    /** The execution of a statement, and what it answers. */
    @FunctionalInterface
    interface Execution {
        @Nullable
        Object run() throws SQLException;
    }

    /** This tap, with another one closer to the database. */
    default SqliteTap before(SqliteTap inner) {
        return step -> pass(new Step(step.sql(), step.connection(), () -> inner.pass(step)));
    }

    /** Opens a ledger whose writer has the tap. It does not outlive a connection that the writer gives up as unsound. */
    static Store open(String url, SqliteTap tap) throws ReflectiveOperationException {
        SqliteStore store = untapped(url);
        SqliteWriteConnection db = db(store);
        SqliteSession session =
                new SqliteSession(tapped(Connection.class, db.session().connection(), "", tap));
        set(db, "session", session);
        set(db, "records", new SqliteRecords(session, db, TimeSource.system()));
        return store;
    }

    static SqliteStore untapped(String url) {
        return (SqliteStore) new SqliteProvider().open(url, StoreProvider.Options.DEFAULT);
    }

    /** The write connection of a store. */
    static SqliteWriteConnection db(SqliteStore store) throws ReflectiveOperationException {
        return (SqliteWriteConnection) get(get(store, "access"), "db");
    }

    private static <T> T tapped(Class<T> type, Object target, String prepared, SqliteTap tap) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    String sql = arguments != null && arguments[0] instanceof String text ? text : prepared;
                    if (method.getName().startsWith("execute")) {
                        Connection real = ((Statement) target).getConnection();
                        return tap.pass(new Step(sql, real, () -> invoke(target, method, arguments)));
                    }
                    Object made = invoke(target, method, arguments);
                    if (made instanceof PreparedStatement && target instanceof Connection) {
                        return tapped(PreparedStatement.class, made, sql, tap);
                    }
                    return made instanceof Statement && target instanceof Connection
                            ? tapped(Statement.class, made, sql, tap)
                            : made;
                }));
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws SQLException {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw new IllegalStateException(method + " failed.", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(method + " is public.", e);
        }
    }

    private static Object get(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private static void set(Object owner, String name, Object value) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(owner, value);
    }
}
