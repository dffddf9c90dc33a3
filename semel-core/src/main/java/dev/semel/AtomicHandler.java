package dev.semel;

import org.jspecify.annotations.Nullable;

/**
 * Work that writes to the application's database only. It may run more than once (a retry, a shared commit that failed);
 * its database writes commit once. It must touch nothing else.
 */
@FunctionalInterface
public interface AtomicHandler<P, R> {
    /**
     * @param payload as the call gave it
     * @param tx the transaction that everything goes into
     * @return the result, which is stored and replayed; null for none
     * @throws Exception that rolls everything back: the policy decides whether the operation is tried again
     */
    @Nullable
    R run(P payload, AtomicContext tx) throws Exception;
}
