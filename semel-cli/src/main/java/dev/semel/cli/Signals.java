package dev.semel.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * Handles signals of the operating system. The JDK has no exported class for it; {@code sun.misc.Signal}, of the module
 * {@code jdk.unsupported}, is used by reflection, because naming it is a warning of the compiler that cannot be suppressed.
 */
final class Signals {
    private Signals() {}

    /**
     * Runs something for each signal of this name, on a thread of its own, in place of the usual reaction.
     *
     * @param name without SIG, such as TERM
     * @return whether it could be set up; a JVM with {@code -Xrs} keeps the usual reaction
     */
    static boolean on(String name, Runnable reaction) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler react = (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                    reaction.run();
                    return null;
                }
                return switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> "handler of SIG" + name;
                };
            };
            Object made = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, react);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), made);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return false;
        }
    }
}
