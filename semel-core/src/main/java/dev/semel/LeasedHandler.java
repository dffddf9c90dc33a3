package dev.semel;

import org.jspecify.annotations.Nullable;

/** Work that may touch the outside world. It runs under a lease. Pass the derived key to every service that it calls. */
@FunctionalInterface
public interface LeasedHandler<P, R> {
    /**
     * @param payload as the call gave it
     * @param run its lease, fence and steps
     * @return the result, which is stored and replayed; null for none
     * @throws Exception that fails the attempt: the policy decides whether the operation is tried again
     */
    @Nullable
    R run(P payload, LeasedContext run) throws Exception;
}
