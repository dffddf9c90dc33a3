package dev.semel.execution;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions.Tx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Messages that a run in SHADOW would have sent, as SHADOWED records.
 *
 * <p><b>Identity.</b> Such a message was never accepted, so its record must not be taken for a duplicate of a real one: it has an id
 * that is derived from the real one and that no call or send can have ({@link RecordId#shadow}). Real sends do not look at it.
 *
 * <p><b>Repeated runs.</b> There is one such record for each real one. A run that would send the same again leaves it as it is. One
 * that would send another payload replaces it: what the newest run decided can be compared and replayed.
 *
 * <p><b>Retention.</b> It never outlives what the ledger remembers of the real message, so that neither a comparison nor a replay
 * mistakes a message that was delivered and has expired for one that was never sent. A real message that arrives after the run
 * began is remembered for its retention from its completion on, which is later than the run's beginning; one that was finished
 * before is remembered until its own end, and that is the limit then.
 */
public final class ShadowSends {
    /** A record is SHADOWED in the commit that makes it; until then it must not be in the way of its lane. */
    private static final Arrival.ArrivalTimes FAR =
            new Arrival.ArrivalTimes(Duration.ofDays(3650).toMillis(), 0, 0);

    /** Such a record never stands in its lane, so that none has to be held for it. */
    private static final Move.Place OUT = new Move.Place(null, Move.Then.LEAVE);

    private static final int CHUNK = 512;
    private static final int ROUNDS = 10;
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String SENDS_AS = "sends_as";
    private static final String LOCK = "lock";
    private static final String NEIGHBOURS = "neighbours";

    private ShadowSends() {}

    /**
     * A message that would have been sent.
     *
     * @param until when its record expires, in the store's milliseconds
     */
    record ShadowSend(PreparedMessage message, long until) {
        RecordId id() {
            return message.id().shadow();
        }
    }

    /**
     * The commit that records a decision of SHADOW.
     *
     * @param now the store's time
     * @param decision the event of the run itself, to be written with the first of its messages; absent if it is written otherwise
     */
    record Decision(Events events, long now, @Nullable AuditEntry decision) {}

    /**
     * Records them in a transaction, in one commit with the decision.
     *
     * @return whether the decision's event was written: it is not if every message was recorded before
     */
    static boolean record(Tx tx, Decision decision, List<ShadowSend> sends) {
        boolean told = false;
        for (int from = 0; from < sends.size(); from += CHUNK) {
            List<ShadowSend> chunk = sends.subList(from, Math.min(from + CHUNK, sends.size()));
            List<ShadowSend> made = made(tx, chunk);
            List<Move> moves = new ArrayList<>();
            for (ShadowSend send : made) {
                moves.add(shadowed(decision, send, moves.isEmpty() && !told ? decision.decision : null));
            }
            if (!moves.isEmpty()) {
                demandApplied(moves, tx.move(moves));
                told = true;
            }
        }
        return told;
    }

    /** Makes the records; those that are there already with the same payload are left out. */
    private static List<ShadowSend> made(Tx tx, List<ShadowSend> sends) {
        List<ShadowSend> made = new ArrayList<>();
        List<ShadowSend> open = sends;
        for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
            open = differing(tx, open, made);
        }
        if (!open.isEmpty()) {
            throw overtaken(open.get(0).id());
        }
        return made;
    }

    /**
     * Makes those that are absent, and removes those that are there with another payload.
     *
     * @param made receives those that were made
     * @return the others, to be made again. Of one that was closed or replaced meanwhile nothing is removed: it is looked at again
     */
    private static List<ShadowSend> differing(Tx tx, List<ShadowSend> sends, List<ShadowSend> made) {
        List<ShadowSend> differing = new ArrayList<>();
        List<Move> removed = new ArrayList<>();
        List<Enqueued> answers =
                tx.enqueue(sends.stream().map(ShadowSends::arrival).toList());
        for (int i = 0; i < sends.size(); i++) {
            ShadowSend send = sends.get(i);
            if (answers.get(i) instanceof Enqueued.EnqueueFailed failed) {
                throw failed.why();
            }
            if (answers.get(i) instanceof Enqueued.Existing there) {
                Header header = send.message.arrival().header();
                if (!there.row().header().fingerprint().equals(header.fingerprint())) {
                    removed.add(Transition.FORGET.of(there.row(), Move.Change.NONE.at(OUT), null));
                    differing.add(send);
                }
            } else {
                made.add(send);
            }
        }
        if (!removed.isEmpty()) {
            List<Moved> moved = tx.move(removed);
            for (int i = 0; i < moved.size(); i++) {
                moved.get(i).unlocked(removed.get(i).id());
            }
        }
        return differing;
    }

    /** Otherwise the transaction must be rolled back: a record that stays queued would be delivered. */
    private static void demandApplied(List<Move> moves, List<Moved> answers) {
        for (int i = 0; i < moves.size(); i++) {
            if (!(answers.get(i).unlocked(moves.get(i).id()) instanceof Moved.Applied)) {
                throw overtaken(moves.get(i).id());
            }
        }
    }

    /** Not a lost lease: whoever records it still holds its own record, or the transaction it is in. */
    private static SemelException.TransactionMustBeRetried overtaken(RecordId id) {
        return new SemelException.TransactionMustBeRetried(
                "Record " + id + ": another run in SHADOW records it now; nothing was committed. Run it again.",
                new IllegalStateException("the record was changed meanwhile"));
    }

    private static Arrival arrival(ShadowSend send) {
        Arrival real = send.message.arrival();
        Arrival.ArrivalTimes times = new Arrival.ArrivalTimes(
                FAR.delayMillis(), FAR.start(), real.times().deadline());
        return new Arrival(send.id(), real.header(), real.payload(), real.lane(), times, null);
    }

    private static Move shadowed(Decision decision, ShadowSend send, @Nullable AuditEntry before) {
        Arrival real = send.message.arrival();
        Move.Change change = Transition.result(
                        Duration.ofMillis(Math.max(1, send.until - decision.now)), encoded(send.message.identity()))
                .at(OUT);
        Events.About about = Events.About.record(
                send.id(),
                real.header(),
                send.message.about().origin(),
                Objects.requireNonNull(send.message.about().policy()));
        AuditEntry own = decision.events.outcome(
                EventType.OPERATION_SHADOWED,
                about,
                Map.of(SENDS_AS, send.message.id().hex()));
        List<AuditEntry> events = new ArrayList<>();
        if (before != null) {
            events.add(before);
        }
        if (own != null) {
            events.add(own);
        }
        return Transition.REHEARSE.telling(send.id(), 0, change, events);
    }

    /** Whether a record is a message that a run in SHADOW would have sent. */
    public static boolean isOne(Row row) {
        return row.line() != null && row.id().equals(realId(row.header()).shadow());
    }

    private static RecordId realId(Header header) {
        return Identity.of(Tenant.of(header.tenant()), header.operation(), Key.of(header.key()))
                .id();
    }

    /** As which record the message of such a record is sent for real, and what counts as the same message. */
    public static Identity identity(Row row) {
        byte[] stored = row.state() == State.SHADOWED ? row.result() : null;
        if (stored == null) {
            return Identity.of(realId(row.header()));
        }
        JsonNode fields = JSON.readTree(stored);
        List<RecordId> neighbours = new ArrayList<>();
        fields.path(NEIGHBOURS)
                .forEach(each -> neighbours.add(RecordId.ofHex(Objects.requireNonNull(each.stringValue()))));
        RecordId id = RecordId.ofHex(fields.path(SENDS_AS).asString());
        RecordId lock = fields.has(LOCK) ? RecordId.ofHex(fields.path(LOCK).asString()) : id;
        return new Identity(id, lock, neighbours);
    }

    private static byte[] encoded(Identity identity) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(SENDS_AS, identity.id().hex());
        if (!identity.neighbours().isEmpty()) {
            fields.put(LOCK, identity.lock().hex());
            fields.put(
                    NEIGHBOURS,
                    identity.neighbours().stream().map(RecordId::hex).toList());
        }
        return JSON.writeValueAsBytes(fields);
    }

    /**
     * The message of such a record, to be queued for real: due now, with its own deadline.
     *
     * @param event written if it is new
     * @throws SemelException.Invalid when the record is none of a message
     */
    public static Arrival real(Row row, @Nullable AuditEntry event) {
        Line line = row.line();
        if (line == null) {
            throw new SemelException.Invalid("Record " + row.id() + " is not a message and cannot be sent.");
        }
        return new Arrival(
                realId(row.header()),
                row.header(),
                row.payload(),
                line.lane(),
                new Arrival.ArrivalTimes(0, 0, line.deadline()),
                event);
    }
}
