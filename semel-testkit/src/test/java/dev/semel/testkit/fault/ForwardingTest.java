package dev.semel.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.ActivityLog;
import dev.semel.store.AuditLog;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A port's default method that is not handed on would hide what the store behind it can do. */
class ForwardingTest {
    static List<Arguments> ports() {
        return List.of(
                Arguments.of(Store.class, ForwardingStore.class),
                Arguments.of(Ledger.class, ForwardingLedger.class),
                Arguments.of(AuditLog.class, ForwardingAuditLog.class),
                Arguments.of(Switchboard.class, ForwardingSwitchboard.class),
                Arguments.of(Queue.class, ForwardingQueue.class),
                Arguments.of(ActivityLog.class, ForwardingActivityLog.class),
                Arguments.of(Permits.class, ForwardingPermits.class),
                Arguments.of(Transactions.class, ForwardingTransactions.class),
                Arguments.of(Transactions.Tx.class, ForwardingTransactions.ForwardingTx.class));
    }

    @ParameterizedTest
    @MethodSource("ports")
    void everyMethodOfAPortIsForwarded(Class<?> port, Class<?> forwarding) {
        List<String> kept = Arrays.stream(port.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !isDeclared(forwarding, method))
                .map(Method::toString)
                .toList();
        assertThat(kept).isEmpty();
    }

    private static boolean isDeclared(Class<?> forwarding, Method method) {
        return Arrays.stream(forwarding.getDeclaredMethods())
                .anyMatch(own -> own.getName().equals(method.getName())
                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
    }
}
