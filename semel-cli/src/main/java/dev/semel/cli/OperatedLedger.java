package dev.semel.cli;

import dev.semel.SemelException;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The ledger that a command works on: a store that this process opens, or one behind a server. Both answer by the same endpoints
 * ({@code docs/admin-api.md}), so a command prints the same for both.
 *
 * <p>All methods throw {@link CheckFailed} when there is no such record or its state does not allow it, {@link SemelException.Invalid}
 * when the request is not valid or not allowed, and {@link SemelException.StoreUnavailable} when the ledger cannot be reached.
 */
interface OperatedLedger extends AutoCloseable {
    /** Reads. */
    Facts get(String path, CommandInput parameters);

    /** Acts. */
    Facts post(String path, CommandInput body);

    /** Sends lines, as they come. */
    Facts sendLines(String path, Stream<String> lines);

    /** Reads objects one after the other; keeps none of them. */
    void readLines(String path, CommandInput parameters, Consumer<Map<String, Object>> out);

    /** Runs jobs of the ledger until it is closed; of a server, whose nodes do that, nothing. */
    JobWorkers runJobs();

    /** What runs jobs. */
    @FunctionalInterface
    interface JobWorkers {
        void stop();
    }

    @Override
    void close();
}
