package dev.semel;

import org.jspecify.annotations.Nullable;

/**
 * Work that writes to the application's database only. It may run more than once (a retry, a shared commit that failed);
 * its database writes commit once. It must touch nothing else.
 */
@FunctionalInterface
public interface AtomicHandler<P, R> {
    @Nullable
    R run(P payload, AtomicContext tx) throws Exception;
}
