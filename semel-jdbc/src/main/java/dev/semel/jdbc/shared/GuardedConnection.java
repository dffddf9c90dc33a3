package dev.semel.jdbc.shared;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The connection that an atomic handler sees: everything that reads and writes, nothing that ends or changes the
 * transaction, be it a method or a text of SQL. Statements, result sets and all else that comes from it lead back to
 * it and not to the real one.
 *
 * <p>It rejects every call once the handler has returned. That check and the call of the driver are made under one
 * lock: a thread that outlives its handler gets no statement into the next transaction on the real connection. The
 * end waits for a statement that is on its way, and cancels it if that takes long.
 *
 * <p>A text that got past the rules and ended the transaction is noticed here where the engine can tell at once
 * ({@link TransactionWatch}); from then on every call is rejected, and the caller gets {@code TransactionEnded}.
 */
public final class GuardedConnection {
    /** The state of the transaction after the handler had its connection. */
    public enum TransactionState {
        OPEN,
        /** The database rolled it back after an error. */
        ROLLED_BACK,
        /** A statement of the handler has ended it: its writes may be committed. */
        ENDED
    }

    /** SQLState "invalid transaction termination". */
    private static final String REFUSED = "2D000";

    /** SQLState "connection does not exist". */
    private static final String GONE = "08003";

    private static final long PATIENCE_MILLIS = 2_000;
    private static final long CANCEL_MILLIS = 10_000;

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

    private static final Set<String> CHANGES_SESSION = Set.of("setSchema", "setCatalog", "setClientInfo");

    /** The most specific first. */
    private static final List<Class<?>> LEAD_BACK = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            ResultSetMetaData.class,
            ParameterMetaData.class,
            Array.class,
            NClob.class,
            Clob.class,
            Blob.class,
            SQLXML.class,
            Ref.class);

    /** The methods, beside the setters of parameters, after which a statement may still be handed to the next handler. */
    private static final Set<String> LEAVES_NO_TRACE =
            Set.of("executeUpdate", "executeLargeUpdate", "clearParameters", "getConnection", "isClosed");

    private final Connection real;
    private final StatementCache cache;
    private final TransactionWatch watch;
    private final Connection seen;
    private final Set<Statement> statements = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Held for each call of the driver. */
    private final ReentrantLock use = new ReentrantLock();

    /** Held while a statement is cancelled, which nobody may do once the next one uses the connection. */
    private final ReentrantLock cancelling = new ReentrantLock();

    private volatile @Nullable Statement running;
    private volatile boolean over;
    private volatile TransactionState fate = TransactionState.OPEN;

    public GuardedConnection(Connection real, StatementCache cache, TransactionWatch watch) {
        this.real = real;
        this.cache = cache;
        this.watch = watch;
        this.seen = proxy(Connection.class, new Guard(real));
    }

    /** For the handler. */
    public Connection seen() {
        return seen;
    }

    public TransactionState fate() {
        return fate;
    }

    /**
     * From here on every call is rejected. Statements and cursors that the handler left open are closed: a forgotten
     * cursor would hold an old snapshot.
     *
     * @return false when another thread is still inside the driver and cannot be got out: the connection must not be
     *     used again
     */
    public boolean end() {
        over = true;
        // Lets a thread that is cancelling a statement right now finish first.
        cancelling.lock();
        cancelling.unlock();
        if (!seize()) {
            return false;
        }
        try {
            for (Statement statement : statements) {
                try {
                    statement.close();
                } catch (SQLException e) {
                    // Nothing more can be done about it; whether its work was done is decided by the commit.
                    continue;
                }
            }
            statements.clear();
        } finally {
            use.unlock();
        }
        return true;
    }

    private boolean seize() {
        if (use.tryLock() || locked(PATIENCE_MILLIS)) {
            return true;
        }
        cancelRunning();
        return locked(CANCEL_MILLIS);
    }

    private boolean locked(long millis) {
        boolean interrupted = false;
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (true) {
                try {
                    return use.tryLock(until - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void cancelRunning() {
        Statement stuck = running;
        if (stuck != null) {
            try {
                stuck.cancel();
            } catch (SQLException e) {
                // It may have ended by itself; the lock tells.
                return;
            }
        }
    }

    private final class Guard implements InvocationHandler {
        private final Object target;

        Guard(Object target) {
            this.target = target;
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            switch (name) {
                case "equals":
                    return arguments != null && self == arguments[0];
                case "hashCode":
                    return System.identityHashCode(self);
                case "toString":
                    return target == real
                            ? "the connection of a Semel transaction" + (over ? ", which has ended" : "")
                            : target.toString();
                case "isClosed":
                    return over || (Boolean) called(target, method, arguments);
                case "isValid":
                    return !over && (Boolean) called(target, method, arguments);
                case "getAutoCommit":
                    return false;
                case "cancel":
                    cancel();
                    return null;
                default:
                    return use(self, method, arguments);
            }
        }

        private void cancel() throws SQLException {
            cancelling.lock();
            try {
                if (!over && target instanceof Statement statement) {
                    statement.cancel();
                }
            } finally {
                cancelling.unlock();
            }
        }

        private @Nullable Object use(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            use.lock();
            try {
                if (method.getName().equals("close") && target != real) {
                    return close(method);
                }
                demandOpen(method.getName());
                if (method.getDeclaringClass() == java.sql.Wrapper.class && arguments != null) {
                    return unwrapped(self, method.getName(), (Class<?>) arguments[0]);
                }
                if (method.getName().equals("getConnection")) {
                    return seen;
                }
                if (target == real) {
                    admit(method.getName(), arguments);
                }
                if (arguments != null && arguments.length > 0 && arguments[0] instanceof String text) {
                    admitText(method.getName(), text);
                }
                if (target == real && method.getName().equals("prepareStatement") && arguments.length == 1) {
                    return prepared((String) arguments[0]);
                }
                return guarded(performed(target, method, arguments), method.getReturnType());
            } finally {
                use.unlock();
            }
        }

        private @Nullable Object close(Method method) throws Throwable {
            if (target instanceof Statement statement && !statements.remove(statement)) {
                return null;
            }
            return called(target, method, null);
        }
    }

    private void admit(String name, Object @Nullable [] arguments) throws SQLException {
        boolean rollsBackAll = name.equals("rollback") && arguments == null;
        if (rollsBackAll || ENDS_OR_CHANGES.contains(name)) {
            throw new SQLException(
                    "Connection." + name + " was refused: the transaction is Semel's, and commits the handler's writes"
                            + " together with its record. Return to commit, throw to roll back; use a savepoint to"
                            + " undo a part.",
                    REFUSED);
        }
        if (name.endsWith("Savepoint")) {
            watch.beforeSavepoint();
        }
        if (CHANGES_SESSION.contains(name)) {
            watch.sessionChanges("Connection." + name);
        }
    }

    private void admitText(String method, String text) throws SQLException {
        if (method.equals("setSavepoint") && SqlRules.isReserved(text)) {
            throw new SQLException("Savepoints of this name are Semel's own: choose another name.", REFUSED);
        }
        if (!method.startsWith("prepare") && !method.startsWith("execute") && !method.equals("addBatch")) {
            return;
        }
        SqlRules.Judgement judgement = watch.rules().judge(text);
        if (judgement.refusal() != null) {
            throw new SQLException("\"" + brief(text) + "\" was refused: " + judgement.refusal() + ".", REFUSED);
        }
        if (judgement.usesSavepoint()) {
            watch.beforeSavepoint();
        }
        if (judgement.changesSession()) {
            watch.sessionChanges(brief(text));
        }
    }

    private static String brief(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= 80 ? line : line.substring(0, 80) + "...";
    }

    /** Calls the driver, and notices if the transaction is no longer there afterwards. */
    private @Nullable Object performed(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean executes = name.startsWith("execute");
        running = target instanceof Statement statement ? statement : null;
        Object result;
        try {
            result = called(target, method, unguarded(arguments));
        } catch (SQLException e) {
            if (!watch.isOpen(true, false)) {
                fate = TransactionState.ROLLED_BACK;
            }
            throw e;
        } finally {
            running = null;
        }
        if (executes && !watch.isOpen(false, name.endsWith("Batch"))) {
            fate = TransactionState.ENDED;
            throw new SQLException(
                    name + " has ended the transaction, which is Semel's: what the handler had written may be committed"
                            + " without its record. Leave COMMIT, ROLLBACK and the like to Semel.",
                    REFUSED);
        }
        return result;
    }

    private @Nullable Object guarded(@Nullable Object result, Class<?> declared) {
        if (result instanceof Statement statement) {
            statements.add(statement);
        }
        boolean leadsBack = result != null && (LEAD_BACK.contains(declared) || declared == Object.class);
        if (leadsBack) {
            for (Class<?> type : LEAD_BACK) {
                if (type.isInstance(result) && (declared == Object.class || declared == type)) {
                    return proxy(type, new Guard(result));
                }
            }
        }
        return result;
    }

    /** The driver is given its own objects back. */
    private static Object @Nullable [] unguarded(Object @Nullable [] arguments) {
        if (arguments == null) {
            return null;
        }
        for (int i = 0; i < arguments.length; i++) {
            Object argument = arguments[i];
            boolean fromDriver = argument instanceof Array
                    || argument instanceof Blob
                    || argument instanceof Clob
                    || argument instanceof SQLXML
                    || argument instanceof Ref;
            if (fromDriver
                    && Proxy.isProxyClass(argument.getClass())
                    && Proxy.getInvocationHandler(argument) instanceof Guard guard) {
                arguments[i] = guard.target;
            }
        }
        return arguments;
    }

    private static Object unwrapped(Object self, String method, Class<?> type) throws SQLException {
        if (method.equals("isWrapperFor")) {
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

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement kept = cache.take(sql);
        PreparedStatement statement = kept == null ? real.prepareStatement(sql) : kept;
        statements.add(statement);
        return proxy(PreparedStatement.class, new StatementGuard(sql, statement));
    }

    /** A statement until its handler closes it; then it may serve another, so nothing reaches it this way any more. */
    private final class StatementGuard implements InvocationHandler {
        private final String sql;
        private final PreparedStatement statement;
        private final InvocationHandler guard;
        private boolean unmarked = true;
        private volatile boolean closed;

        StatementGuard(String sql, PreparedStatement statement) {
            this.sql = sql;
            this.statement = statement;
            this.guard = new Guard(statement);
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
            if (name.equals("cancel")) {
                return closed ? null : guard.invoke(self, method, arguments);
            }
            use.lock();
            try {
                if (name.equals("close")) {
                    close();
                    return null;
                }
                return closed ? onClosed(self, method, arguments) : traced(self, method, arguments);
            } finally {
                use.unlock();
            }
        }

        private @Nullable Object traced(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            String name = method.getName();
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
                cache.giveBack(sql, statement);
            } else if (mine) {
                statement.close();
            }
        }
    }

    private void demandOpen(String method) throws SQLException {
        if (over) {
            throw new SQLException(
                    method + " was refused: the handler that was given this connection has returned, and its"
                            + " transaction has ended. Do not keep the connection beyond the handler.",
                    GONE);
        }
        if (fate != TransactionState.OPEN) {
            throw new SQLException(
                    method + " was refused: "
                            + (fate == TransactionState.ROLLED_BACK
                                    ? "the database has rolled the transaction back after an error. Rethrow it from"
                                            + " the handler."
                                    : "a statement of the handler has ended the transaction, which is Semel's."),
                    GONE);
        }
    }

    private static @Nullable Object called(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof NullPointerException || cause instanceof ConcurrentModificationException) {
                throw new SQLException("The driver failed in " + method.getName() + " (" + cause + ").", cause);
            }
            throw cause;
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
