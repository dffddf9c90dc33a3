package dev.semel;

import org.jspecify.annotations.Nullable;

/** Work that may touch the outside world. It runs under a lease; whatever it calls should be given the derived key. */
@FunctionalInterface
public interface LeasedHandler<P, R> {
    @Nullable
    R run(P payload, LeasedContext run) throws Exception;
}
