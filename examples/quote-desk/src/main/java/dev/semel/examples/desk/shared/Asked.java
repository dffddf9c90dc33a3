package dev.semel.examples.desk.shared;

import dev.semel.Call;

/**
 * Who asked, where and by which request. Says nothing about what is to be done, so it is not part of a payload's meaning.
 *
 * @param source {@code slack_slash}, {@code slack_interactive}, {@code slack_event}, {@code cli} or {@code scheduler}
 * @param requestId the source's own id of the request, the same in every redelivery
 * @param user who asked
 * @param channel where the answer goes
 * @param correlationId under which everything that follows is found
 */
public record Asked(String source, String requestId, String user, String channel, String correlationId) {
    /** The name of the field in payloads, which is excluded from their hash. */
    public static final String FIELD = "asked";

    /** For the ledger and its audit. */
    public Call.Origin origin() {
        return Call.Origin.UNSTATED
                .withSource(source)
                .withRequestId(requestId)
                .withActor(user, "user")
                .withCorrelationId(correlationId);
    }

    /** The same person in another channel. */
    public Asked in(String other) {
        return new Asked(source, requestId, user, other, correlationId);
    }
}
