package dev.semel.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection that an atomic handler sees: everything that reads and writes, nothing that ends or changes the transaction.
 * Statements, result sets and metadata that come from it lead back to it and not to the real one. It is dead once the handler
 * has returned.
 */
final class GuardedConnection {
    /** SQLState "invalid transaction termination". */
    private static final String REFUSED = "2D000";

    /** SQLState "connection does not exist". */
    private static final String GONE = "08003";

    private static final Set<String> ENDS_OR_CHANGES = Set.of(
            "commit",
            "close",
            "abort",
            "setAutoCommit",
            "setTransactionIsolation",
            "setReadOnly",
            "beginRequest",
            "endRequest",
            "setNetworkTimeout");

    private static final Set<Class<?>> LEAD_BACK = Set.of(
            Statement.class, PreparedStatement.class, CallableStatement.class, ResultSet.class, DatabaseMetaData.class);

    /** Beside the setters of parameters, all that a statement may have done that is handed to the next handler. */
    private static final Set<String> LEAVES_NO_TRACE =
            Set.of("executeUpdate", "executeLargeUpdate", "clearParameters", "getConnection", "isClosed");

    private final Connection real;
    private final StatementShelf shelf;
    private final Connection seen;
    private final Set<Statement> statements = Collections.newSetFromMap(new IdentityHashMap<>());
    private volatile boolean over;

    GuardedConnection(Connection real) {
        this(real, StatementShelf.NONE);
    }

    GuardedConnection(Connection real, StatementShelf shelf) {
        this.real = real;
        this.shelf = shelf;
        this.seen = proxy(Connection.class, this::onConnection);
    }

    /** For the handler. */
    Connection seen() {
        return seen;
    }

    /** From here on nothing works. What the handler left open is closed: a forgotten cursor would hold an old snapshot. */
    void end() {
        over = true;
        for (Statement statement : statements) {
            try {
                statement.close();
            } catch (SQLException e) {
                // It is as closed as it will be; what became of its work is told by the commit.
                continue;
            }
        }
        statements.clear();
    }

    private @Nullable Object onConnection(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "equals":
                return arguments != null && self == arguments[0];
            case "hashCode":
                return System.identityHashCode(self);
            case "toString":
                return "the connection of a Semel transaction" + (over ? ", which has ended" : "");
            case "isClosed":
                return over || real.isClosed();
            case "getAutoCommit":
                return false;
            case "isValid":
                return !over && (Boolean) invoke(real, method, arguments);
            default:
                break;
        }
        demandOpen(name);
        boolean rollsBackAll = name.equals("rollback") && arguments == null;
        if (rollsBackAll || ENDS_OR_CHANGES.contains(name)) {
            throw new SQLException(
                    "Connection." + name + " was refused: the transaction is Semel's, and commits the handler's writes"
                            + " together with its record. Return to commit, throw to roll back; use a savepoint to"
                            + " undo a part.",
                    REFUSED);
        }
        if (name.equals("prepareStatement") && arguments != null && arguments.length == 1) {
            return prepared((String) arguments[0]);
        }
        return onWrapper(self, real, method, arguments);
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement kept = shelf.take(sql);
        PreparedStatement statement = kept == null ? real.prepareStatement(sql) : kept;
        statements.add(statement);
        return proxy(PreparedStatement.class, new Lent(sql, statement));
    }

    /** A statement until its handler closes it; then it may serve another, so nothing reaches it this way any more. */
    private final class Lent implements InvocationHandler {
        private final String sql;
        private final PreparedStatement statement;
        private final InvocationHandler guard;
        private boolean unmarked = true;
        private volatile boolean closed;

        Lent(String sql, PreparedStatement statement) {
            this.sql = sql;
            this.statement = statement;
            this.guard = guard(statement);
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("close")) {
                close();
                return null;
            }
            if (closed) {
                return onClosed(self, method, arguments);
            }
            boolean own = method.getDeclaringClass() == PreparedStatement.class;
            boolean traceless = own && name.startsWith("set") || LEAVES_NO_TRACE.contains(name) && arguments == null;
            boolean ended = false;
            try {
                Object result = guard.invoke(self, method, arguments);
                ended = true;
                return result;
            } finally {
                unmarked &= traceless && ended;
            }
        }

        private @Nullable Object onClosed(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "isClosed" -> true;
                case "equals", "hashCode", "toString" -> guard.invoke(self, method, arguments);
                default -> throw new SQLException(method.getName() + " was refused: the statement is closed.", GONE);
            };
        }

        private void close() throws SQLException {
            if (closed) {
                return;
            }
            closed = true;
            boolean mine = statements.remove(statement);
            if (mine && unmarked && !over) {
                shelf.giveBack(sql, statement);
            } else {
                statement.close();
            }
        }
    }

    /** Statements and the like: as they are, except that they lead back to the guarded connection. */
    private InvocationHandler guard(Object target) {
        return (self, method, arguments) -> switch (method.getName()) {
            case "equals" -> arguments != null && self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> target.toString();
            case "isClosed", "cancel" -> invoke(target, method, arguments);
            case "close" -> {
                if (target instanceof Statement statement) {
                    statements.remove(statement);
                }
                yield invoke(target, method, arguments);
            }
            case "getConnection" -> {
                demandOpen(method.getName());
                yield seen;
            }
            default -> {
                demandOpen(method.getName());
                yield onWrapper(self, target, method, arguments);
            }
        };
    }

    private @Nullable Object onWrapper(Object self, Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        boolean wrapper = method.getDeclaringClass() == java.sql.Wrapper.class;
        if (wrapper && arguments != null) {
            Class<?> type = (Class<?>) arguments[0];
            if (method.getName().equals("isWrapperFor")) {
                return type.isInstance(self);
            }
            if (type.isInstance(self)) {
                return self;
            }
            throw new SQLException(
                    "unwrap to " + type.getName() + " was refused: the driver's own object could end the transaction,"
                            + " which is Semel's. Use the JDBC interfaces.",
                    REFUSED);
        }
        Object result = invoke(target, method, arguments);
        if (result instanceof Statement statement) {
            statements.add(statement);
        }
        Class<?> type = method.getReturnType();
        return result != null && LEAD_BACK.contains(type) ? proxy(type, guard(result)) : result;
    }

    private void demandOpen(String method) throws SQLException {
        if (over) {
            throw new SQLException(
                    method + " was refused: the handler that was given this connection has returned, and its"
                            + " transaction has ended. Do not keep the connection beyond the handler.",
                    GONE);
        }
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
