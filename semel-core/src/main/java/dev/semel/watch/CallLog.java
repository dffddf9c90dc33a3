package dev.semel.watch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log lines of a call, at debug, with key-value pairs to search for: "miss" when its handler has to run, then
 * "stored" with its time to live; "hit" when it gets a stored result; "answered" for the rest.
 */
final class CallLog {
    static final String NAME = "dev.semel.calls";

    private static final Logger LOG = LoggerFactory.getLogger(NAME);

    private CallLog() {}

    static boolean isOn() {
        return LOG.isDebugEnabled();
    }

    static void missed(Span span) {
        if (LOG.isDebugEnabled()) {
            line(span).addKeyValue("attempt", span.attempt()).log("miss");
        }
    }

    static void ended(Span span) {
        Outcome outcome = span.outcome();
        if (outcome == null || !LOG.isDebugEnabled()) {
            return;
        }
        LoggingEventBuilder line =
                line(span).addKeyValue("answer", outcome.code()).addKeyValue("replayed", span.hit());
        if (span.kept() != null) {
            line = line.addKeyValue("ttl", span.kept());
        }
        line.log(
                switch (outcome) {
                    case REPLAYED -> "hit";
                    case EXECUTED -> "stored";
                    default -> "answered";
                });
    }

    private static LoggingEventBuilder line(Span span) {
        return LOG.atDebug()
                .addKeyValue("tenant", span.tenant())
                .addKeyValue("operation", span.operation())
                .addKeyValue("key_hash", span.keyHash())
                .addKeyValue("correlation_id", span.correlationId());
    }
}
