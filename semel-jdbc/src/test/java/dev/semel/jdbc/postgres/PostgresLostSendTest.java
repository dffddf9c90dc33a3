package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** R1: on connections of the application's own, a message counts as accepted when the commit has succeeded, and not before. */
@Timeout(300)
class PostgresLostSendTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private final FreshSchema schema = FreshSchema.make();

    /** How many more commits fail. */
    private final AtomicInteger failures = new AtomicInteger();

    private final AtomicReference<String> sqlState = new AtomicReference<>("08006");
    private volatile Runnable whenFailed = () -> {};
    private Store store;
    private Engine engine;

    @BeforeEach
    void open() {
        PGSimpleDataSource source = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() throws SQLException {
                return failing(schema.connect());
            }
        };
        store = PostgresStore.on(source, new StoreProvider.Options(null, true));
        engine = EngineSettings.on(store).withoutBackground().open();
    }

    @AfterEach
    void close() {
        failures.set(0);
        engine.close();
    }

    private Connection failing(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commit") && failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                        connection.rollback();
                        whenFailed.run();
                        throw new SQLException("The commit failed.", sqlState.get());
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Message<String> message(String key, String text) {
        return Message.of(ACME, Key.of(key), text);
    }

    private boolean isStored(String key) {
        RecordId id = Identity.of(ACME, MAIL.name(), Key.of(key)).id();
        return store.ledger().find(List.of(id)).get(id) != null;
    }

    @Test
    void r1_messageWhoseCommitFailsEachTimeIsNotAccepted() {
        failures.set(Integer.MAX_VALUE);
        assertThatThrownBy(() -> engine.send(MAIL, message("k", "text")))
                .isInstanceOf(SemelException.OutcomeUnknown.class);
        failures.set(0);
        assertThat(isStored("k")).isFalse();
    }

    @Test
    void r1_messageWhoseCommitFailsOnceIsStoredWhenItIsAccepted() {
        failures.set(1);
        assertThat(engine.send(MAIL, message("k", "text"))).isInstanceOf(Sent.Accepted.class);
        assertThat(isStored("k")).isTrue();
    }

    @Test
    void r1_messageThatLosesAgainstAnotherOfItsKeyIsAConflict() {
        sqlState.set("40001");
        whenFailed = () -> engine.send(MAIL, message("k", "another text"));
        failures.set(1);
        assertThat(engine.send(MAIL, message("k", "text"))).isInstanceOf(Sent.Conflict.class);
    }
}
