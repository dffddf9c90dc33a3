package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.shared.EffectFixture;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stack that ends at every depth of a call, one after another: the store serves on, and no effect is doubled. */
@Timeout(180)
class SqliteStackOverflowTest {
    private static final int CALLS = 300;
    private static final int STACK = 256 << 10;
    private static final Tenant ACME = Tenant.of("acme");

    private record Order(String item) {}

    private static final Operation.Atomic<Order, String> CHARGE = Operation.atomic("charge", Order.class, String.class);
    private static final Operation.Leased<Order, String> NOTIFY =
            Operation.leased("notify", Order.class, String.class).asRepeatable();

    @TempDir
    private Path directory;

    private Engine engine;
    private Connection plain;
    private int made;

    @BeforeEach
    void open() throws Exception {
        engine = EngineSettings.at("sqlite:" + directory.resolve("semel.db")).open();
        plain = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("semel.db"));
        EffectFixture.execute(plain, "CREATE TABLE effect (n INTEGER PRIMARY KEY, who TEXT)");
        // A class whose initialization ran out of stack is lost to the virtual machine for ever.
        assertThatThrownBy(() -> EffectFixture.execute(plain, "no SQL")).isInstanceOf(SQLException.class);
        engine.run(CHARGE, Call.of(ACME, Key.of("warm"), new Order("warm")), (order, tx) -> {
            assertThatThrownBy(() -> EffectFixture.execute(tx.connection(), "no SQL"))
                    .isInstanceOf(SQLException.class);
            EffectFixture.insert(tx.connection(), "warm");
            return "warm";
        });
        for (int i = 0; i < 20; i++) {
            charge("warm " + i);
            notify("warm " + i);
        }
    }

    @AfterEach
    void close() throws Exception {
        plain.close();
        engine.close();
    }

    @Test
    void b8_atomicCallsThatRunOutOfStackLoseNothing() throws Exception {
        exhaust(number -> charge("k" + number));
        serves();
        assertThat(EffectFixture.number(plain, "SELECT count(*) - count(DISTINCT who) FROM effect"))
                .isZero();
        assertThat(EffectFixture.number(
                        plain,
                        "SELECT (SELECT count(*) FROM effect)"
                                + " - (SELECT count(*) FROM semel_record WHERE operation = 'charge' AND state = 2)"))
                .as("each effect has its record")
                .isZero();
    }

    @Test
    void b8_leasedCallsThatRunOutOfStackLoseNothing() throws Exception {
        exhaust(number -> notify("k" + number));
        serves();
    }

    /** Goes down to the end of the stack, and makes a call at each depth on the way back. */
    private void exhaust(IntFunction<Answer<String>> call) throws Exception {
        made = 0;
        Thread deep = new Thread(null, () -> descend(call), "deep", STACK);
        deep.setDaemon(true);
        deep.start();
        deep.join(TimeUnit.SECONDS.toMillis(90));
        assertThat(deep.isAlive()).as("the calls came back").isFalse();
        assertThat(made).isEqualTo(CALLS);
    }

    private void descend(IntFunction<Answer<String>> call) {
        try {
            descend(call);
        } catch (StackOverflowError bottom) {
            // From here on there is a little more room at each return.
        }
        if (made < CALLS) {
            made++;
            try {
                call.apply(made);
            } catch (Throwable told) {
                // The answer to a caller without stack does not matter, only the state that it leaves.
            }
        }
    }

    private void serves() throws Exception {
        assertThat(bounded(() -> charge("after"))).isInstanceOf(Answer.Executed.class);
        assertThat(bounded(() -> notify("after"))).isInstanceOf(Answer.Executed.class);
    }

    private static <T> T bounded(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task.get(120, TimeUnit.SECONDS);
    }

    private Answer<String> charge(String key) {
        return engine.run(CHARGE, Call.of(ACME, Key.of(key), new Order(key)), (order, tx) -> {
            EffectFixture.insert(tx.connection(), key);
            return key;
        });
    }

    private Answer<String> notify(String key) {
        return engine.run(NOTIFY, Call.of(ACME, Key.of(key), new Order(key)), (order, run) -> key);
    }
}
