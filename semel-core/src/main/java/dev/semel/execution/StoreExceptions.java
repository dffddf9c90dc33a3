package dev.semel.execution;

import dev.semel.SemelException;
import java.util.concurrent.Callable;

/** Translates a store's exceptions into those of the API. */
public final class StoreExceptions {
    private StoreExceptions() {}

    /** Handlers' exceptions never come this way: they are {@link HandlerOutcome.Threw}. */
    public static <T> T translated(Callable<T> body) {
        try {
            return body.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable(
                    "The caller was interrupted while it waited for the store. Nothing was run.", e);
        } catch (Exception e) {
            throw new SemelException.StoreUnavailable(
                    "The store failed: " + e.getMessage() + ". Nothing was committed.", e);
        }
    }
}
