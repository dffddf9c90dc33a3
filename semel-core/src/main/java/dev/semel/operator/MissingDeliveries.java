package dev.semel.operator;

import dev.semel.Call.Origin;
import dev.semel.Channel;
import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Reason;
import dev.semel.DeliverySource.Resend;
import dev.semel.DeliverySource.Resent;
import dev.semel.DeliverySource.Schedule;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.key.ValueCodec;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends missing deliveries to their channels. A message that was handled and then purged cannot be told from one that never arrived,
 * and sending it would repeat its effect. Therefore nothing is sent once the first record of its window may have been purged, and
 * nothing to a channel whose policy removes the records of failed messages.
 */
public final class MissingDeliveries {
    private static final Logger LOG = LoggerFactory.getLogger(MissingDeliveries.class);

    /** The clocks of source and store may differ by so much, or by the grace of the schedule if that is more. */
    private static final Duration LEAST_MARGIN = Duration.ofMinutes(1);

    private final Store store;
    private final Catalogue catalogue;
    private final ValueCodec codec;

    public MissingDeliveries(Store store, Catalogue catalogue, ValueCodec codec) {
        this.store = store;
        this.catalogue = catalogue;
        this.codec = codec;
    }

    /**
     * @throws SemelException.Invalid naming each channel that missing deliveries cannot be sent to without the danger of a
     *     repetition
     */
    void demandSafe(String source, Schedule schedule, Resend resend) {
        List<String> faults = resend.channels().stream()
                .map(channel -> fault(channel, schedule))
                .filter(fault -> !fault.isEmpty())
                .toList();
        if (!faults.isEmpty()) {
            throw new SemelException.Invalid("Missing deliveries of the source " + source + " cannot be sent again: "
                    + String.join("; ", faults) + ".");
        }
    }

    private String fault(Channel<?> channel, Schedule schedule) {
        Policy policy = policy(channel);
        if (!policy.options().deadLetters()) {
            return "channel " + channel.name() + ": its policy " + policy.name()
                    + " keeps no dead letters, so a message that failed would look like a missing one: use another policy";
        }
        Duration needed = schedule.every().plus(schedule.grace()).plus(margin(schedule));
        return kept(channel).compareTo(needed) > 0
                ? ""
                : "channel " + channel.name() + ": its policy " + policy.name() + " keeps messages that have ended for "
                        + kept(channel) + ", and a window is checked up to " + needed
                        + " after its beginning: use a longer retention or shorter windows";
    }

    private Policy policy(Channel<?> channel) {
        return catalogue.get(channel.definition().operation().policy());
    }

    /** How long the record of a message is there at least, however it ended: an operator's discard is kept as long as dead letters are. */
    private Duration kept(Channel<?> channel) {
        Policy.Retention retention = policy(channel).retention();
        return Stream.of(retention.success(), retention.deadLetters(), Policy.Retention.API.deadLetters())
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    private static Duration margin(Schedule schedule) {
        return schedule.grace().compareTo(LEAST_MARGIN) > 0 ? schedule.grace() : LEAST_MARGIN;
    }

    /** The sends of a part of one window. */
    final class WindowSends {
        private final Schedule schedule;
        private final Resend resend;
        private final Instant from;
        private final LeasedContext run;
        private final String source;

        WindowSends(String source, Schedule schedule, Resend resend, Instant from, LeasedContext run) {
            this.source = source;
            this.schedule = schedule;
            this.resend = resend;
            this.from = from;
            this.run = run;
        }

        /** What became of the missing ones before, with these added. */
        Resent send(Resent before, List<Delivery> missing) {
            if (resend.channels().isEmpty() || missing.isEmpty()) {
                return before;
            }
            long now = store.switchboard().modes().now();
            Resent resent = before;
            for (Delivery delivery : missing) {
                Reason left = resent.sent() >= resend.limit() ? Reason.OVER_LIMIT : send(delivery, now);
                resent = left == null ? resent.plusSent() : resent.plusLeft(left);
            }
            return resent;
        }

        private @Nullable Reason send(Delivery delivery, long now) {
            for (Channel<?> channel : resend.channels()) {
                if (channel.name().equals(delivery.channel())) {
                    return send(channel, delivery, now);
                }
            }
            return Reason.OTHER_CHANNEL;
        }

        private <P> @Nullable Reason send(Channel<P> channel, Delivery delivery, long now) {
            if (from.plus(kept(channel)).toEpochMilli()
                    <= now + margin(schedule).toMillis()) {
                return Reason.TOO_OLD;
            }
            Message<P> message = message(channel, delivery);
            if (message == null) {
                return Reason.NO_PAYLOAD;
            }
            if (resend.dryRun()) {
                return null;
            }
            try {
                run.send(channel, message);
                return null;
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown | SemelException.LeaseLost e) {
                throw e;
            } catch (RuntimeException e) {
                // Not sent, or the application's own lane function failed: those behind it are sent all the same.
                LOG.warn(
                        "Source {}: a missing delivery for channel {} could not be sent; continuing with the next.",
                        source,
                        channel.name(),
                        e);
                return Reason.REJECTED;
            }
        }

        private <P> @Nullable Message<P> message(Channel<P> channel, Delivery delivery) {
            if (delivery.payload() == null) {
                return null;
            }
            try {
                P payload = codec.decode(
                        delivery.payload(), channel.definition().operation().payload());
                return Message.of(delivery.tenant(), delivery.key(), payload)
                        .withOrigin(Origin.UNSTATED.withActor("semel", "system").withSource(source));
            } catch (SemelException.Invalid e) {
                return null;
            }
        }
    }
}
