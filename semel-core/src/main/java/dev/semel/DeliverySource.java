package dev.semel;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A source that can list its deliveries: a provider's list of webhooks, an upstream outbox, a broker's log. It is
 * queried for one window of time after another, and each listed delivery is looked up in the ledger, so that missing
 * ones are found. The source is only read; the receiver of the {@link Report} decides whether something is delivered
 * again.
 *
 * <p>A window must be checked while the ledger still keeps its records: a purged record counts as missing.
 */
public interface DeliverySource {
    /** Names the source, as an operation is named; the same on all nodes. */
    String name();

    /**
     * A page of what was delivered from a moment on, and before another. May be asked for the same page again.
     *
     * @param cursor what the page before said is next; absent for the first
     */
    Page between(Instant from, Instant until, @Nullable String cursor) throws Exception;

    /**
     * One delivery.
     *
     * @param channel the name of the channel or operation it was meant for
     * @param payload as it was delivered, to find one that arrived with other contents; absent when the source does not know
     */
    record Delivery(Tenant tenant, String channel, Key key, byte @Nullable [] payload) {}

    /** @param next where the next page starts; absent at the end */
    record Page(List<Delivery> deliveries, @Nullable String next) {
        public Page {
            deliveries = List.copyOf(deliveries);
        }
    }

    /**
     * @param every the length of a window, and how often one is checked
     * @param grace how long after its end it is checked, so that deliveries on their way are no finding
     */
    record Schedule(Duration every, Duration grace) {
        public Schedule {
            if (every.toMillis() < 1 || grace.isNegative()) {
                throw new SemelException.Invalid("A look at deliveries every " + every + ", " + grace
                        + " after they were made, cannot be: use a positive span, and a grace of zero or more.");
            }
        }

        /** Windows of this length, each looked at five minutes after its end. */
        public static Schedule every(Duration span) {
            return new Schedule(span, Duration.ofMinutes(5));
        }
    }

    /** The difference between a delivery in the ledger and the source's list. */
    enum Fault {
        /** There is no record of it. */
        MISSING,
        /** It arrived with other contents. */
        CONFLICTING
    }

    /** @param record the id that its record has, or would have */
    record Finding(Fault fault, String tenant, String channel, String key, String record) {}

    /**
     * What a look at a window found.
     *
     * @param seen what the source named
     * @param there of these, as it said
     * @param findings the first few that are not
     */
    record Report(long seen, long there, long missing, long conflicting, List<Finding> findings) {
        public static final Report EMPTY = new Report(0, 0, 0, 0, List.of());

        public Report {
            findings = List.copyOf(findings);
        }

        /** Whether everything is there. */
        public boolean clean() {
            return missing == 0 && conflicting == 0;
        }
    }

    /** Is told of each window that was looked at; once more after a crash at its end. */
    @FunctionalInterface
    interface Listener {
        /** @throws Exception to get the report of this window again */
        void onReport(Instant from, Instant until, Report report) throws Exception;
    }
}
