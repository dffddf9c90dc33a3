package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A port's default method that is not handed on would take from a store what it can do, as soon as it is watched. */
class WatchedPortsTest {
    static List<Arguments> ports() {
        return List.of(
                Arguments.of(Store.class, WatchedStore.class),
                Arguments.of(Ledger.class, WatchedLedger.class),
                Arguments.of(Queue.class, WatchedQueue.class),
                Arguments.of(Transactions.class, WatchedTransactions.class),
                Arguments.of(Transactions.Tx.class, WatchedTransactions.WatchedTx.class));
    }

    @ParameterizedTest
    @MethodSource("ports")
    void everyMethodOfAPortIsForwarded(Class<?> port, Class<?> watched) {
        assertThat(Arrays.stream(port.getMethods())
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .filter(method -> !isDeclared(watched, method)))
                .isEmpty();
    }

    private static boolean isDeclared(Class<?> watched, Method method) {
        return Arrays.stream(watched.getDeclaredMethods())
                .anyMatch(own -> own.getName().equals(method.getName())
                        && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
    }
}
