package dev.semel.server.routing;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.http.ingress.Webhook;
import dev.semel.key.Identity;
import dev.semel.key.JacksonCodec;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.policy.Catalogue;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What was routed from a source or topic and is still kept, as a route to one destination would have sent it. A message has the key that
 * the route gives it, so what went there before, by the route or by an earlier fill, is recognised.
 */
final class RouteHistory {
    /** Between the arrival of a webhook and the end of its delivery, for clocks that differ. */
    private static final Duration MARGIN = Duration.ofHours(1);

    /** So many bytes of payloads are read at a time, or one payload. */
    private static final int PORTION = 4 << 20;

    private static final int LARGEST_PORTION = 100;

    private final Operator operator;
    private final FillRequest request;
    private final FillPreview.FillCut cut;
    private final String channel;
    private final boolean topic;
    private final RouteTable routes;
    private final Channel.Leased<Webhook> destination;

    /** What is older may have gone to the destination although its record is no longer there. */
    private final Duration remembered;

    /** @throws SemelException.Invalid when the configuration has no such route */
    RouteHistory(Operator operator, ServerConfig config, FillRequest request, FillPreview.FillCut cut) {
        this.operator = operator;
        this.request = request;
        this.cut = cut;
        this.channel = channel(config, request.from());
        this.topic = config.topics().stream().anyMatch(each -> each.name().equals(request.from()));
        this.routes = RouteTable.from(config, request.from()).to(request.to());
        DestinationConfig found = config.destinations().stream()
                .filter(each -> each.name().equals(request.to()))
                .findFirst()
                .orElseThrow(() -> new SemelException.Invalid(
                        "The configuration has no destination \"" + request.to() + "\". Nothing was changed."));
        if (routes.routes().isEmpty()) {
            throw new SemelException.Invalid("No route leads from \"" + request.from() + "\" to \"" + request.to()
                    + "\". Add it to the configuration of every node first; nothing was changed.");
        }
        this.destination = ServerChannels.of(found);
        this.remembered = retention(config, found);
    }

    private static String channel(ServerConfig config, String from) {
        return config.sources().stream()
                .filter(each -> each.name().equals(from))
                .findFirst()
                .map(each -> ServerChannels.of(each).name())
                .or(() -> config.topics().stream()
                        .filter(each -> each.name().equals(from))
                        .findFirst()
                        .map(each -> ServerChannels.of(each).name()))
                .orElseThrow(() -> new SemelException.Invalid(
                        "The configuration has no source or topic \"" + from + "\". Nothing was changed."));
    }

    /** For how long the ledger surely remembers what went to a destination, however it ended. */
    private static Duration retention(ServerConfig config, DestinationConfig destination) {
        Duration kept = Catalogue.shipped()
                .with(config.policies())
                .find(destination.policy())
                .map(Policy::retention)
                .map(retention -> retention.success().compareTo(retention.deadLetters()) < 0
                        ? retention.success()
                        : retention.deadLetters())
                .orElse(Duration.ZERO);
        Duration discarded = Policy.Retention.API.deadLetters();
        return (kept.compareTo(discarded) < 0 ? kept : discarded).minus(MARGIN);
    }

    Channel.Leased<Webhook> destination() {
        return destination;
    }

    /** The channel of the source or topic. */
    String channel() {
        return channel;
    }

    /** Those that were routed until the cut, in the order of their lanes, behind a place. */
    List<CompletedMessage> behind(long place, int limit) {
        return operator.completedMessages(new RecordFilter(request.tenant(), channel, true, cut.fence()), place, limit);
    }

    /** Tells of each message whether and how it would be sent. */
    interface Visitor {
        /** It is kept; it came in then. */
        default void kept(Instant received) {}

        /** It matches, and went to the destination before. */
        default void already() {}

        /** It matches. */
        void missing(Message<Webhook> message);
    }

    /** Reads the payloads of a list in portions, and visits each message in its order. */
    void visit(List<CompletedMessage> list, Visitor visitor) {
        List<RecordId> portion = new ArrayList<>();
        int bytes = 0;
        for (CompletedMessage each : list) {
            if (!portion.isEmpty() && (bytes + each.size() > PORTION || portion.size() == LARGEST_PORTION)) {
                visitPortion(portion, visitor);
                portion.clear();
                bytes = 0;
            }
            portion.add(each.id());
            bytes += each.size();
        }
        if (!portion.isEmpty()) {
            visitPortion(portion, visitor);
        }
    }

    private void visitPortion(List<RecordId> ids, Visitor visitor) {
        FoundRecords found = operator.records(ids);
        List<Message<Webhook>> matching = new ArrayList<>();
        for (RecordId id : ids) {
            Row row = found.get(id);
            byte[] payload = row == null ? null : row.payload();
            if (row != null && payload != null) {
                read(payload).ifPresent(webhook -> {
                    visitor.kept(webhook.transport().received());
                    if (matches(webhook)) {
                        matching.add(message(row, webhook));
                    }
                });
            }
        }
        List<RecordId> sent = matching.stream().map(this::recordOf).toList();
        FoundRecords there = sent.isEmpty() ? found : operator.records(sent);
        for (int i = 0; i < matching.size(); i++) {
            Message<Webhook> message = matching.get(i);
            if (there.get(sent.get(i)) != null || wasForgotten(message, sent.get(i), there.now())) {
                visitor.already();
            } else {
                visitor.missing(message);
            }
        }
    }

    /** A payload that another version wrote and this one cannot read is left out: nobody can say where it belongs. */
    private static Optional<Webhook> read(byte[] payload) {
        try {
            return Optional.ofNullable((Webhook) JacksonCodec.usual().decode(payload, Webhook.class));
        } catch (SemelException.Invalid e) {
            return Optional.empty();
        }
    }

    private boolean matches(Webhook webhook) {
        if (request.since() != null && webhook.transport().received().isBefore(request.since())) {
            return false;
        }
        Instant deadline = deadline(webhook);
        if (deadline != null && !deadline.isAfter(cut.at())) {
            return false;
        }
        try {
            return routes.destinationsOf(webhook).contains(request.to());
        } catch (Failure.Thrown untestable) {
            return false;
        }
    }

    private @Nullable Instant deadline(Webhook webhook) {
        return topic ? TopicMessage.deadline(webhook).orElse(null) : null;
    }

    private Message<Webhook> message(Row row, Webhook webhook) {
        Key key = row.id().sentKey(request.to());
        Message<Webhook> message = Message.of(Tenant.of(row.header().tenant()), key, webhook)
                .withCorrelationId(row.header().correlationId());
        Instant deadline = deadline(webhook);
        return deadline == null ? message : message.withDeadline(deadline);
    }

    private RecordId recordOf(Message<Webhook> message) {
        return Identity.of(message.tenant(), destination.name(), message.key()).id();
    }

    /**
     * Whether it went there so long ago that its record may be purged: then the audit knows.
     *
     * @param now by the clock of the store, when the record was not found
     */
    private boolean wasForgotten(Message<Webhook> message, RecordId record, long now) {
        Webhook webhook = Objects.requireNonNull(message.payload());
        AuditFilter events = new AuditFilter(null, destination.name(), record, null);
        return webhook.transport().received().isBefore(Instant.ofEpochMilli(now).minus(remembered))
                && !operator.events(events, AuditRow.Position.END, 1).isEmpty();
    }
}
