package dev.semel.testkit.sim;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.key.Identity;
import dev.semel.key.ValueCodec;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.History;
import dev.semel.testkit.memory.MemoryTable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Channels with their senders and handlers: one of each form with lanes and without. A payload is {@code
 * channel/key:lane}. A worker's run is recorded as a call of its own, from its claim on.
 */
final class ChannelTraffic {
    static final Channel.Leased<String> LETTER =
            Channel.leased("letter", String.class).withPolicy("sim").withLane(ChannelTraffic::lane);
    static final Channel.Leased<String> PARCEL = Channel.leased("parcel", String.class)
            .withPolicy("sim")
            .withLane(ChannelTraffic::lane)
            .asUnrepeatable();
    static final Channel.Leased<String> NOTICE =
            Channel.leased("notice", String.class).withPolicy("sim");
    static final Channel.Atomic<String> ENTRY =
            Channel.atomic("entry", String.class).withPolicy("sim").withLane(ChannelTraffic::lane);
    static final Channel.Atomic<String> TALLY =
            Channel.atomic("tally", String.class).withPolicy("sim");
    static final List<Channel<String>> ALL = List.of(LETTER, ENTRY, LETTER, ENTRY, NOTICE, TALLY, PARCEL);

    /** How the keys begin that carry a time bucket. */
    static final String BUCKETED = "b";

    /** How the entries begin that fallbacks leave. */
    static final String DEATH = "death/";

    private static final String BUCKET = "@";

    private final Scheduler scheduler;
    private final Random random;
    private final History history;
    private final SimOperations business;
    private final RecordJournal book;
    private final Map<String, ClaimGrant> grants = new HashMap<>();
    private final Map<String, String> enclosed = new LinkedHashMap<>();
    private final Set<String> resent = new HashSet<>();
    private final Map<String, Integer> firsts = new HashMap<>();
    private final Map<String, Integer> commits = new HashMap<>();
    private final ValueCodec codec = new ValueCodec(1 << 20);
    private final boolean fallbacks;
    private int executions;

    ChannelTraffic(Scheduler scheduler, History history, SimOperations business, RecordJournal book) {
        this.scheduler = scheduler;
        this.random = scheduler.random;
        this.history = history;
        this.business = business;
        this.book = book;
        this.fallbacks = random.nextInt(3) > 0;
    }

    /** Whether every message that dies has a fallback. */
    boolean hasFallbacks() {
        return fallbacks;
    }

    /** A grant of a claim: the call that records it, and the place in the lane. */
    private record ClaimGrant(long call, Event.@Nullable Place place) {}

    static @Nullable String lane(String payload) {
        return payload.substring(payload.indexOf(':') + 1);
    }

    /** Whether its messages are the engine's own, which have other payloads. */
    static boolean isOfEngine(String operation) {
        return operation.startsWith("semel.");
    }

    /** The messages that were sent in a transaction, by the entry that the same transaction was to leave in the table. */
    Map<String, String> enclosed() {
        return enclosed;
    }

    /** The messages that somebody sent for real after a run in SHADOW would have sent them. */
    Set<String> resent() {
        return resent;
    }

    /** Sends for real what a run in SHADOW would have sent. */
    void resend(SimNode node, Row shadow) {
        String payload = payload(shadow);
        resent.add(ClientCall.record(payload));
        send(node, NOTICE, List.of(payload));
    }

    /**
     * The key of a message: plain, or of the form text + time bucket. The same text is always sent in one of two neighbouring
     * buckets, so it is the same message whichever it is.
     */
    private Key key(String record) {
        Key plain = Client.key(record);
        if (!plain.text().startsWith(BUCKETED)) {
            return plain;
        }
        int bucket = 7 + random.nextInt(2);
        String at = plain.text() + BUCKET;
        return Key.withNeighbours(at + bucket, plain.text(), List.of(at + (bucket - 1), at + (bucket + 1)));
    }

    /** The name of a record in the history: its key without the bucket, if it has one. */
    static String withoutBucket(String key) {
        int bucket = key.startsWith(BUCKETED) ? key.indexOf(BUCKET) : -1;
        return bucket < 0 ? key : key.substring(0, bucket);
    }

    /** How often senders were told that they were the first to send this. */
    Map<String, Integer> firsts() {
        return firsts;
    }

    /** A worker was granted the record. */
    void claimed(Row row) {
        if (isOfEngine(row.header().operation())) {
            return;
        }
        String payload = payload(row);
        long call = history.invoke(ClientCall.record(payload), payload.getBytes(StandardCharsets.UTF_8));
        Line line = Objects.requireNonNull(row.line());
        Event.Place place = line.lane() == null
                ? null
                : new Event.Place(row.header().operation() + "/" + line.lane().key(), line.place());
        grants.put(ClientCall.record(payload) + "@" + row.status().fence(), new ClaimGrant(call, place));
    }

    /** A transaction completed the message. */
    void committed(Row row) {
        String payload = payload(row);
        String record = ClientCall.record(payload);
        Event.Grant grant = new Event.Grant(row.status().fence(), row.status().attempt());
        commits.merge(record, 1, Integer::sum);
        history.append(stamp -> new Event.Delivered(
                stamp,
                record,
                grant,
                History.hash(payload.getBytes(StandardCharsets.UTF_8)),
                Event.Reception.APPLIED,
                place(record, grant.fence())));
    }

    private String payload(Row row) {
        return String.valueOf(codec.decode(row.payload(), String.class));
    }

    /** How often a transaction completed each message. */
    Map<String, Integer> commits() {
        return commits;
    }

    Event.@Nullable Place place(String record, long fence) {
        return Objects.requireNonNull(grants.get(record + "@" + fence)).place;
    }

    /** Somebody begins to handle a message that it was granted. */
    void started(String payload, long fence, int attempt) {
        String record = ClientCall.record(payload);
        scheduler.trace.add(scheduler.nanos(), scheduler.current().name, payload + " is handled under " + fence);
        long call = Objects.requireNonNull(grants.get(record + "@" + fence)).call;
        history.start(record, call, fence, attempt);
        String channel = record.substring(0, record.indexOf('/'));
        book.begun(Identity.of(Client.TENANT, channel, Client.key(record)).id(), fence);
    }

    void register(SimNode node, Engine engine) {
        if (fallbacks) {
            ALL.stream()
                    .distinct()
                    .forEach(channel -> engine.onDead(channel, (death, tx) -> fallBack(node, death, tx)));
        }
        for (Channel.Leased<String> channel : List.of(LETTER, PARCEL, NOTICE)) {
            Channel.Capacity capacity = channel == NOTICE ? business.capacity() : Channel.Capacity.DEFAULT;
            engine.handle(channel, capacity, (payload, run) -> handle(node, payload, run));
            if (business.reconciles()) {
                engine.reconcile(channel, reconciler(node));
            }
        }
        for (Channel.Atomic<String> channel : List.of(ENTRY, TALLY)) {
            registerAtomic(channel, node, engine);
        }
    }

    /** Handles the messages of a channel; each leaves an entry. */
    void registerAtomic(Channel.Atomic<String> channel, SimNode node, Engine engine) {
        engine.handle(channel, (payload, tx) -> handle(node, payload, tx));
    }

    private void handle(SimNode node, String payload, LeasedContext run) throws Exception {
        started(payload, run.fence(), run.attempt());
        node.entered();
        try {
            business.refuse();
            business.deliver(node, payload, run, place(ClientCall.record(payload), run.fence()));
        } finally {
            node.left();
        }
    }

    private void handle(SimNode node, String payload, AtomicContext tx) throws Exception {
        String entry = "message/" + ++executions;
        scheduler.trace.add(scheduler.nanos(), scheduler.current().name, payload + " is " + entry);
        node.entered();
        try {
            node.disturb();
            business.refuse();
            business.fail(12, true);
            business.take(node, 6);
            tx.unwrap(MemoryTable.class).put(entry, payload);
            enclose(entry, tx);
            node.disturb();
            business.fail(6, true);
        } finally {
            node.left();
        }
    }

    /** Leaves an entry for the death, and a message. */
    private void fallBack(SimNode node, Death<String> death, AtomicContext tx) throws Exception {
        String record = death.record().operation() + "/"
                + withoutBucket(death.record().key().text());
        String entry = DEATH + ++executions;
        scheduler.trace.add(scheduler.nanos(), scheduler.current().name, record + " dies as " + entry);
        node.entered();
        try {
            node.disturb();
            business.fail(12, true);
            business.take(node, 6);
            tx.unwrap(MemoryTable.class).put(entry, record);
            sendWith(entry, tx);
            node.disturb();
            business.fail(6, true);
        } finally {
            node.left();
        }
    }

    /** Sends something in the transaction that leaves the entry, or does not. */
    void enclose(String entry, AtomicContext tx) {
        if (random.nextInt(3) == 0) {
            sendWith(entry, tx);
        }
    }

    private void sendWith(String entry, AtomicContext tx) {
        String key = entry.replace('/', '-');
        String payload = "notice/" + key + ":none";
        history.invoke("notice/" + key, payload.getBytes(StandardCharsets.UTF_8));
        enclosed.put(entry, "notice/" + key);
        tx.send(NOTICE, Key.of(key), payload);
    }

    private Reconciler<String, Void> reconciler(SimNode node) {
        Reconciler<String, String> asked = business.reconciler(node);
        return (payload, about) -> {
            Reconciler.Verdict<String> verdict = asked.reconcile(payload, about);
            if (verdict instanceof Reconciler.Verdict.TookEffect) {
                return new Reconciler.Verdict.TookEffect<>(null);
            }
            if (verdict instanceof Reconciler.Verdict.NoEffect && business.givesUp()) {
                return Reconciler.Verdict.failed(Failure.of(Failure.Category.BUSINESS_RULE, "not any more"));
            }
            return verdict instanceof Reconciler.Verdict.StillUnknown<String> still
                    ? new Reconciler.Verdict.StillUnknown<>(still.reason())
                    : new Reconciler.Verdict.NoEffect<>();
        };
    }

    /** Sends through a node. If that dies meanwhile, the sender is never told. */
    void send(SimNode node, Channel<String> channel, List<String> payloads) {
        Actor self = scheduler.current();
        List<ClientCall> askings = new ArrayList<>();
        for (String payload : payloads) {
            long call = history.invoke(ClientCall.record(payload), payload.getBytes(StandardCharsets.UTF_8));
            askings.add(new ClientCall(payload, call));
        }
        List<Message<String>> messages =
                askings.stream().map(asking -> message(node, asking)).toList();
        scheduler.trace.add(scheduler.nanos(), self.name, "sends " + payloads + " by " + node.name);
        self.life = node.life();
        try {
            List<Sent> sent = messages.size() == 1
                    ? List.of(node.engine().send(channel, messages.get(0)))
                    : node.engine().sendAll(channel, messages);
            scheduler.alive();
            for (int i = 0; i < sent.size(); i++) {
                end(askings.get(i), sent.get(i));
            }
        } catch (SemelException e) {
            scheduler.alive();
            askings.forEach(asking -> history.end(asking.record, asking.call, Ending.UNKNOWN, Event.Grant.NONE, null));
        } catch (Crash died) {
            scheduler.trace.add(scheduler.nanos(), self.name, "lost its node");
        } finally {
            Thread.interrupted();
            self.life = null;
        }
    }

    private Message<String> message(SimNode node, ClientCall asking) {
        Message<String> message =
                Message.of(Client.TENANT, key(asking.record), asking.payload).withCorrelationId(asking.correlationId());
        return switch (random.nextInt(12)) {
            case 0, 1 -> message.withDelay(Duration.ofMillis(random.nextInt(4_000)));
            case 2 ->
                message.withDeadline(Instant.ofEpochMilli(node.time.millis()).plusMillis(random.nextInt(6_000)));
            default -> message;
        };
    }

    private void end(ClientCall asking, Sent sent) {
        scheduler.trace.add(scheduler.nanos(), asking.record, sent.getClass().getSimpleName());
        Ending ending = sent.fold(accepted -> Ending.ACCEPTED, conflict -> Ending.CONFLICT, bad -> Ending.REFUSED);
        history.end(asking.record, asking.call, ending, Event.Grant.NONE, null);
        if (sent instanceof Sent.Accepted accepted && accepted.first()) {
            firsts.merge(asking.record, 1, Integer::sum);
        }
    }
}
