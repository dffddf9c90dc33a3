package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.LeasedContext;
import dev.semel.SemelException;
import org.jspecify.annotations.Nullable;

/** The context of the {@link Idempotent} method or {@link SemelChannel} handler that runs on the calling thread. */
final class RunContexts {
    private final ThreadLocal<@Nullable Object> current = new ThreadLocal<>();

    /** The body of a method. */
    @FunctionalInterface
    interface MethodBody<T extends @Nullable Object, E extends Throwable> {
        T run() throws E;
    }

    /** Runs a method in its context. A method inside another one has its own context until it returns. */
    <T extends @Nullable Object, E extends Throwable> T within(Object context, MethodBody<T, E> body) throws E {
        Object outer = current.get();
        current.set(context);
        try {
            return body.run();
        } finally {
            if (outer == null) {
                current.remove();
            } else {
                current.set(outer);
            }
        }
    }

    /** @throws SemelException.Invalid when no atomic method runs on this thread */
    AtomicContext atomic() {
        return current(AtomicContext.class, "atomic");
    }

    /** @throws SemelException.Invalid when no leased method runs on this thread */
    LeasedContext leased() {
        return current(LeasedContext.class, "leased");
    }

    private <C> C current(Class<C> type, String form) {
        Object context = current.get();
        if (type.isInstance(context)) {
            return type.cast(context);
        }
        throw new SemelException.Invalid("The injected " + type.getSimpleName() + " was used "
                + (context == null
                        ? "outside a run: use it only in an @Idempotent method or a @SemelChannel handler, on the"
                                + " thread that runs it."
                        : "in a method that is not " + form + ": inject "
                                + (context instanceof AtomicContext ? "AtomicContext" : "LeasedContext")
                                + " there."));
    }
}
