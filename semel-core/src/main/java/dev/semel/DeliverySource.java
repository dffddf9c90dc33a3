package dev.semel;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A source that can list its deliveries: a provider's list of webhooks, an upstream outbox, a broker's log. It is
 * queried for one window of time after another, and each listed delivery is looked up in the ledger, so that missing
 * ones are found. The source is only read. Missing deliveries are reported, and sent to their channels where a {@link Resend} says
 * so.
 *
 * <p>A window must be checked while the ledger still keeps its records: a purged record counts as missing. List a delivery in the
 * window of its first attempt, not of a later one.
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

    /**
     * Whether missing deliveries are sent to their channels. They go through the same door as the first time, under the same key:
     * one that arrives meanwhile is a duplicate, and each is handled once.
     *
     * <pre>{@code
     * semel.checkDeliveries(stripe, Schedule.every(Duration.ofHours(1)), Resend.upTo(500, PAYMENTS), listener);
     * }</pre>
     *
     * <p>A message that was handled and purged looks like a missing one. So a delivery is sent only while the channel would still keep
     * the record of a message that had arrived at the beginning of the window.
     *
     * @param limit of messages that are sent for one window
     * @param dryRun counts what would be sent, and sends nothing
     * @param channels that messages are sent to; deliveries for any other are only reported
     */
    record Resend(int limit, boolean dryRun, List<Channel<?>> channels) {
        /** Missing deliveries are only reported. */
        public static final Resend NONE = new Resend(0, false, List.of());

        public Resend {
            channels = List.copyOf(channels);
            if (limit < 0 || limit == 0 && !channels.isEmpty()) {
                throw new SemelException.Invalid("A limit of " + limit
                        + " missing deliveries to be sent for one window is invalid: use at least 1.");
            }
        }

        /** Sends up to so many for one window. A delivery needs its payload, as the JSON of the channel's type. */
        public static Resend upTo(int limit, Channel<?>... channels) {
            return new Resend(limit, false, Arrays.asList(channels));
        }

        /** Counts what would be sent, and sends nothing. */
        public Resend asDryRun() {
            return new Resend(limit, true, channels);
        }
    }

    /** Why a missing delivery was not sent. */
    enum Reason {
        /** As many were sent as {@link Resend#limit} allows. */
        OVER_LIMIT,
        /** The source did not give its payload, or one that is not the JSON of the channel's type. */
        NO_PAYLOAD,
        /** Its channel is not one of {@link Resend#channels}. */
        OTHER_CHANNEL,
        /** It may have been handled and purged. */
        TOO_OLD,
        /** The ledger rejected it, or it arrived meanwhile with another payload. */
        REJECTED
    }

    /**
     * What became of missing deliveries.
     *
     * @param sent how many are in their channels now, or in a dry run would be
     * @param left how many are not, by the reason
     */
    record Resent(long sent, Map<Reason, Long> left) {
        public static final Resent NONE = new Resent(0, Map.of());

        public Resent {
            left = Map.copyOf(left);
        }

        /** With one more that was sent. */
        public Resent plusSent() {
            return new Resent(sent + 1, left);
        }

        /** With one more that was not. */
        public Resent plusLeft(Reason reason) {
            Map<Reason, Long> more = new EnumMap<>(Reason.class);
            more.putAll(left);
            more.merge(reason, 1L, Long::sum);
            return new Resent(sent, more);
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
     * @param resent what became of those that were missing
     */
    record Report(long seen, long there, long missing, long conflicting, List<Finding> findings, Resent resent) {
        public static final Report EMPTY = new Report(0, 0, 0, 0, List.of(), Resent.NONE);

        /** @param resent absent in reports that an earlier version stored */
        public Report(
                long seen,
                long there,
                long missing,
                long conflicting,
                List<Finding> findings,
                @Nullable Resent resent) {
            this.seen = seen;
            this.there = there;
            this.missing = missing;
            this.conflicting = conflicting;
            this.findings = List.copyOf(findings);
            this.resent = resent == null ? Resent.NONE : resent;
        }

        /** The same, with this account of the missing ones. */
        public Report with(Resent value) {
            return new Report(seen, there, missing, conflicting, findings, value);
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
