package dev.semel.server.routing;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.server.config.ServerConfig;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Fills a new route with what came in before: sends to its destination what the route would have sent, in the order of each lane. What went
 * there before is not sent again, so a fill may be repeated.
 *
 * <p>A fill is work in the ledger: a message of the channel {@code semel.fills}. Its handler does a part and sends a message for the rest.
 * A node that dies is taken over, and pausing the channel pauses the fill. Thread-safe.
 */
public final class RouteFills {
    private static final Logger LOG = LoggerFactory.getLogger(RouteFills.class);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Tenant OPERATORS = Tenant.of("semel.operators");
    private static final Channel.Leased<FillPart> CHANNEL =
            Channel.leased("semel.fills", FillPart.class).withPolicy("worker.job");

    /** Each list looks at the whole ledger, so it is long. */
    private static final int LIST = 5_000;

    private static final int SLOW_PART_SECONDS = 120;

    /** Messages of a commit. */
    private static final int COMMIT = 100;

    /** Bytes of a commit, or one message. */
    private static final long LARGEST_COMMIT = 4L << 20;

    private static final int PARTS_AT_ONCE = 50;

    private final Engine engine;
    private final Operator operator;
    private final ServerConfig config;
    private final TimeSource time;

    /** @param config with the route; its policies must be those of the engine */
    public RouteFills(Engine engine, ServerConfig config, TimeSource time) {
        this.engine = engine;
        this.operator = engine.operator();
        this.config = config;
        this.time = time;
    }

    /** Has this node run parts of fills. */
    public void handle() {
        engine.handle(CHANNEL, this::handle);
    }

    /** The channel of the parts, to pause and resume fills. */
    public static String channelName() {
        return CHANNEL.name();
    }

    /**
     * What a fill would do now. Changes nothing.
     *
     * @throws SemelException.Invalid when the configuration has no such route
     */
    public FillPreview preview(FillRequest request) {
        return preview(request, new FillPreview.FillCut(Long.MAX_VALUE, Instant.ofEpochMilli(time.millis())));
    }

    private FillPreview preview(FillRequest request, FillPreview.FillCut cut) {
        RouteHistory history = new RouteHistory(operator, config, request, cut);
        PreviewCount count = new PreviewCount();
        long place = Long.MIN_VALUE;
        List<CompletedMessage> list;
        do {
            list = history.behind(place, LIST);
            history.visit(list, count);
            for (CompletedMessage each : list) {
                place = each.place();
                count.fence = Math.max(count.fence, each.fence());
            }
        } while (list.size() == LIST);
        return new FillPreview(
                request, new FillPreview.FillCut(count.fence, cut.at()), count.missing, count.already, count.oldest);
    }

    private static final class PreviewCount implements RouteHistory.Visitor {
        private long missing;
        private long already;
        private long fence;
        private @Nullable Instant oldest;

        @Override
        public void kept(Instant received) {
            if (oldest == null || received.isBefore(oldest)) {
                oldest = received;
            }
        }

        @Override
        public void already() {
            already++;
        }

        @Override
        public void missing(Message<Webhook> message) {
            missing++;
        }
    }

    /**
     * Begins a fill, and tells the audit who did and why. Nodes of the server run it, and so does this engine if it handles fills.
     *
     * @param perSecond at most so many messages a second; 0 for no limit
     * @return the name of the job
     */
    public String begin(FillPreview preview, int perSecond, Warrant warrant) {
        if (perSecond < 0) {
            throw new SemelException.Invalid(
                    "A fill of " + perSecond + " messages a second cannot be: use 0 for no limit, or more.");
        }
        FillRequest request = preview.request();
        String job = String.format(
                Locale.ROOT,
                "fill-%d-%04x",
                time.millis() / 1_000,
                RandomGenerator.getDefault().nextInt(1 << 16));
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("job", job);
        details.put("to", ServerChannels.destination(request.to()));
        details.put("matched", preview.matched());
        if (request.since() != null) {
            details.put("since", request.since().toString());
        }
        String channel = new RouteHistory(operator, config, request, preview.cut()).channel();
        operator.replaysHistory(channel, request.tenant(), details, warrant);
        FillPart.FillScope scope = FillPart.FillScope.of(preview, warrant.actor());
        Sent sent = engine.send(CHANNEL, message(new FillPart(job, 1, scope, perSecond, Long.MIN_VALUE, 0)));
        if (!(sent instanceof Sent.Accepted)) {
            throw new SemelException.Invalid(
                    "The fill " + job + " could not be stored: " + sent + ". Nothing was sent.");
        }
        return job;
    }

    private static Message<FillPart> message(FillPart part) {
        return Message.of(OPERATORS, Key.of(part.job() + "/" + part.part()), part)
                .withOrigin(Call.Origin.UNSTATED
                        .withActor(part.scope().actor(), "operator")
                        .withSource("operator"));
    }

    /** Runs a part: sends some messages, then a message for the rest. Repeatable: what was sent is not sent again. */
    private void handle(FillPart part, LeasedContext run) throws InterruptedException {
        RouteHistory history = history(part);
        // An attempt has five minutes: a slow fill has short parts.
        int most = part.perSecond() == 0 ? LIST : Math.min(LIST, part.perSecond() * SLOW_PART_SECONDS);
        List<CompletedMessage> list = history.behind(part.behind(), most);
        FillSender sender = new FillSender(part, history.destination(), run);
        history.visit(list, sender::add);
        sender.send();
        if (list.size() == most) {
            FillPart next = new FillPart(
                    part.job(),
                    part.part() + 1,
                    part.scope(),
                    part.perSecond(),
                    list.get(most - 1).place(),
                    part.sent() + sender.sent);
            sendOn(run, next);
        } else {
            run.note("sent", part.sent() + sender.sent);
        }
    }

    /** A node that does not have the route yet leaves the part to others. */
    private RouteHistory history(FillPart part) {
        try {
            return new RouteHistory(
                    operator, config, part.scope().request(), part.scope().until());
        } catch (SemelException.Invalid e) {
            throw new Failure.Thrown(
                    Failure.of(
                            Failure.Category.UNKNOWN,
                            "The configuration of the node that ran it has no such route; another node may have it."),
                    e);
        }
    }

    /** An interrupted run of this part may have sent the next one, with another count: then that one continues. */
    private static void sendOn(LeasedContext run, FillPart next) {
        try {
            run.send(CHANNEL, message(next));
        } catch (SemelException.NotSent e) {
            if (!(e.sent() instanceof Sent.Conflict)) {
                throw e;
            }
            LOG.info("{}: an earlier run has sent the next part; continuing with that.", next.job());
        }
    }

    /** Sends the messages of a part in commits of many, in their order, no faster than asked. */
    private final class FillSender {
        private final FillPart part;
        private final Channel.Leased<Webhook> destination;
        private final LeasedContext run;
        private final List<Message<Webhook>> batch = new ArrayList<>();
        private long bytes;
        private long sent;

        FillSender(FillPart part, Channel.Leased<Webhook> destination, LeasedContext run) {
            this.part = part;
            this.destination = destination;
            this.run = run;
        }

        private int largest() {
            return part.perSecond() == 0 ? COMMIT : Math.min(COMMIT, part.perSecond());
        }

        void add(Message<Webhook> message) {
            Webhook webhook = Objects.requireNonNull(message.payload());
            if (!batch.isEmpty() && (batch.size() == largest() || bytes + webhook.body().length > LARGEST_COMMIT)) {
                send();
            }
            batch.add(message.withOrigin(message.origin()
                    .withActor(part.scope().actor(), "operator")
                    .withSource("fill")
                    .withRequestId(part.job())));
            bytes += webhook.body().length;
        }

        /** A conflict is left: another payload went to the destination under this key, and the ledger has told the audit. */
        void send() {
            if (batch.isEmpty()) {
                return;
            }
            run.ensureHeld();
            for (Sent each : engine.sendAll(destination, List.copyOf(batch))) {
                sent += each instanceof Sent.Accepted accepted && accepted.first() ? 1 : 0;
            }
            int paced = batch.size();
            batch.clear();
            bytes = 0;
            if (part.perSecond() > 0) {
                pause(Duration.ofMillis(1_000L * paced / part.perSecond()));
            }
        }

        private void pause(Duration duration) {
            try {
                time.sleep(duration);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FillInterrupted(e);
            }
        }
    }

    /** The node stops: another one continues. */
    private static final class FillInterrupted extends RuntimeException {
        private static final long serialVersionUID = 1;

        FillInterrupted(InterruptedException cause) {
            super("interrupted between two commits", cause);
        }
    }

    /**
     * Where a fill stands.
     *
     * @param newest the record of its newest part; when that is COMPLETED the fill is over
     * @param part its number
     * @param request what is sent, and where to
     * @param sent how many the parts before sent, not counting what an interrupted attempt did
     * @param matched how many there were to send when it began
     */
    public record FillProgress(Row newest, int part, FillRequest request, long sent, long matched) {
        public boolean over() {
            return newest.state() == State.COMPLETED;
        }
    }

    /**
     * Where a fill stands, as the ledger tells it; nothing when there is no such job, or no more.
     *
     * @param from the number of a part that is known to be there; 1 if none is
     */
    public Optional<FillProgress> progress(String job, int from) {
        Optional<FillProgress> newest = Optional.empty();
        int part = from;
        while (true) {
            List<RecordId> ids = new ArrayList<>();
            for (int i = 0; i < PARTS_AT_ONCE; i++) {
                ids.add(Identity.of(OPERATORS, CHANNEL.name(), Key.of(job + "/" + (part + i)))
                        .id());
            }
            FoundRecords found = operator.records(ids);
            for (RecordId id : ids) {
                Row row = found.get(id);
                if (row == null) {
                    return newest;
                }
                FillPart read = JSON.readValue(row.payload(), FillPart.class);
                newest = Optional.of(new FillProgress(
                        row,
                        read.part(),
                        read.scope().request(),
                        read.sent(),
                        read.scope().cut().matched()));
            }
            part += PARTS_AT_ONCE;
        }
    }

    /** What a job was begun with, counted again: {@code matched} is what it left. */
    public Optional<FillPreview> left(String job) {
        RecordId id = Identity.of(OPERATORS, CHANNEL.name(), Key.of(job + "/1")).id();
        Row row = operator.records(List.of(id)).get(id);
        if (row == null || row.payload() == null) {
            return Optional.empty();
        }
        FillPart.FillScope scope = JSON.readValue(row.payload(), FillPart.class).scope();
        return Optional.of(preview(scope.request(), scope.until()));
    }
}
