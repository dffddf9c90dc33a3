package dev.semel.operator;

import dev.semel.Call.Origin;
import dev.semel.Channel;
import dev.semel.DeliverySource;
import dev.semel.DeliverySource.Finding;
import dev.semel.DeliverySource.Report;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.ValueCodec;
import dev.semel.store.AuditEntry;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks sources regularly what they delivered. A look at a window is a message of the source's own channel, keyed by the
 * window, so that of all nodes one does it, and another takes over if that one dies. A long one is done in parts. Each ends
 * with an event in the audit and a word to the listener of the node that ended it.
 *
 * <p>Windows end by the store's clock: by that of a node, which may be set wrong, a window could be looked at before its deliveries were
 * made, and never again. Windows that nobody looked at, because no node was up, are made up for if they ended within half a day.
 */
public final class DeliveryRounds {
    private static final Logger LOG = LoggerFactory.getLogger(DeliveryRounds.class);
    private static final int PAGES_A_MESSAGE = 20;

    /** Windows that ended longer ago are not looked at any more. */
    public static final Duration MADE_UP_FOR = Duration.ofHours(12);

    private static final Tenant SYSTEM = Tenant.of("semel.system");

    private final Store store;
    private final DeliveryCheck check;
    private final MissingDeliveries missing;
    private final Clocks clocks;
    private final Sender sender;
    private final Events events = new Events(true);
    private final Map<String, RegisteredSource> sources = new ConcurrentHashMap<>();

    public DeliveryRounds(Store store, DeliveryCheck check, MissingDeliveries missing, Clocks clocks, Sender sender) {
        this.store = store;
        this.check = check;
        this.missing = missing;
        this.clocks = clocks;
        this.sender = sender;
    }

    /**
     * @param node tells when the store's clock is read again
     * @param madeUpFor how long ago a window may have ended that is still looked at
     */
    public record Clocks(TimeSource node, Duration madeUpFor) {}

    /**
     * A part of a look at a window, as it stands in the ledger.
     *
     * @param from and until in milliseconds
     * @param part counts from 1
     * @param cursor of the source; absent at the beginning
     * @param report of the parts before
     */
    public record Round(
            long from, long until, int part, @Nullable String cursor, Report report) implements ValueCodec.Own {}

    /** Sends a message, as the front door does. */
    @FunctionalInterface
    public interface Sender {
        Sent send(Channel<Round> channel, Message<Round> message);
    }

    private static final class RegisteredSource {
        private final DeliverySource source;
        private final DeliverySource.Schedule schedule;
        private final DeliverySource.Resend resend;
        private final DeliverySource.Listener listener;
        private final Channel.Leased<Round> channel;
        private volatile long begun = Long.MIN_VALUE;

        /** When the next window has ended, by the node's monotonic clock; before that nothing is to be done. */
        private volatile @Nullable Long nextEnd;

        RegisteredSource(
                DeliverySource source,
                DeliverySource.Schedule schedule,
                DeliverySource.Resend resend,
                DeliverySource.Listener listener) {
            this.source = source;
            this.schedule = schedule;
            this.resend = resend;
            this.listener = listener;
            this.channel = channel(source.name());
        }
    }

    /** The channel of a source's looks. */
    public static Channel.Leased<Round> channel(String source) {
        return Channel.leased("semel.deliveries." + source, Round.class).withPolicy("worker.job");
    }

    /**
     * Has a source asked from now on; its channel is to be handled by {@link #handle}.
     *
     * @throws SemelException.Invalid when it is registered already, or sending its missing deliveries could repeat an effect
     */
    public Channel.Leased<Round> register(
            DeliverySource source,
            DeliverySource.Schedule schedule,
            DeliverySource.Resend resend,
            DeliverySource.Listener listener) {
        missing.demandSafe(source.name(), schedule, resend);
        RegisteredSource asked = new RegisteredSource(source, schedule, resend, listener);
        if (sources.putIfAbsent(source.name(), asked) != null) {
            throw new SemelException.Invalid("The source " + source.name()
                    + " is registered already on this node. Give each source a name of its own.");
        }
        return asked.channel;
    }

    /** Begins with the windows that have ended. One that another node began with is not begun again. */
    public void begin() {
        for (RegisteredSource asked : sources.values()) {
            try {
                begin(asked);
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                throw e;
            } catch (RuntimeException e) {
                LOG.warn(
                        "Could not queue the questions to the source {}; retrying in a second, continuing with the next source.",
                        asked.source.name(),
                        e);
            }
        }
    }

    private void begin(RegisteredSource asked) {
        long nanos = clocks.node.nanos();
        Long nextEnd = asked.nextEnd;
        if (nextEnd != null && nextEnd - nanos > 0) {
            return;
        }
        long every = asked.schedule.every().toMillis();
        long grace = asked.schedule.grace().toMillis();
        long now = store.switchboard().modes().now();
        long newest = Math.floorDiv(now - grace, every) * every;
        long oldest = Math.min(newest, Math.floorDiv(now - clocks.madeUpFor.toMillis(), every) * every + every);
        for (long until = Math.max(oldest, asked.begun + every); until <= newest; until += every) {
            begin(asked, new Round(until - every, until, 1, null, Report.EMPTY));
            asked.begun = until;
        }
        asked.nextEnd = nanos + Duration.ofMillis(newest + every + grace - now).toNanos();
    }

    /** A conflict is an earlier version's message for the same window: then that one is handled. */
    private void begin(RegisteredSource asked, Round round) {
        Sent sent = sender.send(asked.channel, message(round));
        if (!(sent instanceof Sent.Conflict)) {
            sent.orThrow();
        }
    }

    private static Message<Round> message(Round round) {
        return Message.of(SYSTEM, Key.of(round.from + "-" + round.until + "/" + round.part), round);
    }

    /** Handles a part: asks for some pages, looks them up, and sends the rest on, or reports. */
    public void handle(String source, Round round, LeasedContext run) throws Exception {
        RegisteredSource asked = sources.get(source);
        if (asked == null) {
            throw new SemelException.Invalid("The source " + source + " is not registered on this node.");
        }
        Instant from = Instant.ofEpochMilli(round.from);
        Instant until = Instant.ofEpochMilli(round.until);
        MissingDeliveries.WindowSends sends = missing.new WindowSends(source, asked.schedule, asked.resend, from, run);
        Report report = round.report;
        String cursor = round.cursor;
        for (int pages = 0; pages < PAGES_A_MESSAGE; pages++) {
            DeliverySource.Page page = asked.source.between(from, until, cursor);
            List<DeliverySource.Delivery> absent = new ArrayList<>();
            report = check.add(report, page.deliveries(), absent::add);
            run.ensureHeld();
            report = report.with(sends.send(report.resent(), absent));
            cursor = page.next();
            if (cursor == null) {
                store.audit().append(List.of(event(source, from, until, report)));
                asked.listener.onReport(from, until, report);
                return;
            }
        }
        sendOn(run, asked.channel, message(new Round(round.from, round.until, round.part + 1, cursor, report)));
    }

    /** An interrupted run of this part may have sent the next one, with other counts: then that one continues. */
    private static void sendOn(LeasedContext run, Channel<Round> channel, Message<Round> next) {
        try {
            run.send(channel, next);
        } catch (SemelException.NotSent e) {
            if (!(e.sent() instanceof Sent.Conflict)) {
                throw e;
            }
            LOG.info("{}: an earlier run has sent the next part; continuing with that.", channel.name());
        }
    }

    private AuditEntry event(String source, Instant from, Instant until, Report report) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("from", from.toString());
        details.put("until", until.toString());
        details.put("seen", report.seen());
        details.put("there", report.there());
        details.put("missing", report.missing());
        details.put("conflicting", report.conflicting());
        if (!report.resent().equals(DeliverySource.Resent.NONE)) {
            details.put("resent", report.resent().sent());
            report.resent()
                    .left()
                    .forEach((reason, count) ->
                            details.put("not_sent_" + reason.name().toLowerCase(Locale.ROOT), count));
        }
        details.put(
                "records",
                report.findings().stream().map(Finding::record).limit(10).toList());
        Origin origin = Origin.UNSTATED.withActor("semel", "system").withSource(source);
        AuditEntry.Subject subject =
                new AuditEntry.Subject(SYSTEM.name(), channel(source).name(), null, null, null);
        return events.event(EventType.DELIVERIES_CHECKED, new Events.About(subject, origin, null, 0), details);
    }
}
