package dev.semel.console.admin;

import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Row;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends what came in before to the destination of a new route: jobs in the ledger, which running nodes execute. Thread-safe. */
public interface RouteFilling {
    /** The channel of the jobs: pausing it pauses them. */
    String channel();

    /**
     * What a fill would do now. Changes nothing.
     *
     * @throws dev.semel.SemelException.Invalid when the configuration has no such route
     */
    FillCount preview(FillSelection which);

    /**
     * Begins a fill, and writes into the audit who did and why. What went to the destination before is not sent again.
     *
     * @param perSecond at most so many messages a second; 0 for no limit
     * @return nothing when nothing matches: then nothing was changed
     * @throws dev.semel.SemelException.Invalid when the configuration has no such route
     */
    Optional<StartedFill> begin(FillSelection which, int perSecond, Warrant warrant);

    /** Where a fill stands; nothing when there is no such job, or no more. */
    Optional<FillStanding> find(String job);

    /** How many of the messages that a fill began with are not sent. */
    long left(String job);

    /**
     * What is sent, and where to.
     *
     * @param from name of a source or topic
     * @param to name of a destination
     * @param tenant only of this one; null for all
     * @param since only what came in from then on; null for all that is kept
     */
    record FillSelection(
            String from,
            String to,
            @Nullable String tenant,
            @Nullable Instant since) {}

    /**
     * What a fill would do.
     *
     * @param matched how many messages would be sent
     * @param already how many went there before and would not be sent again
     * @param oldest when the oldest message that is still kept came in; null when nothing is kept
     */
    record FillCount(long matched, long already, @Nullable Instant oldest) {}

    /** A fill that has begun. */
    record StartedFill(String job, long matched) {}

    /**
     * Where a fill stands.
     *
     * @param newest the record of its newest part
     * @param part its number
     * @param sent how many the parts before sent
     * @param matched how many there were to send when it began
     * @param tenant whose messages it sends; null for those of all tenants
     */
    record FillStanding(
            Row newest,
            int part,
            long sent,
            long matched,
            @Nullable String tenant) {}
}
