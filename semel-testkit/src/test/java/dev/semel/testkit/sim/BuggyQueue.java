package dev.semel.testkit.sim;

import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Line.Turn;
import dev.semel.store.Move;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingQueue;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A queue with a bug; it knows the messages that were sent through it, by whichever node. */
class BuggyQueue extends ForwardingQueue {
    private final Store store;
    private final Set<RecordId> sent;

    /** @param sent shared by all nodes */
    BuggyQueue(Store store, Set<RecordId> sent) {
        super(store.queue().orElseThrow());
        this.store = store;
        this.sent = sent;
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        batch.forEach(arrival -> sent.add(arrival.id()));
        return super.enqueue(batch);
    }

    /** The messages of an operation as they are, in the order of their ids. */
    List<Row> messages(String operation) {
        var rows = store.ledger().find(sent).rows();
        return new TreeSet<>(rows.keySet())
                .stream()
                        .map(rows::get)
                        .filter(row ->
                                row.line() != null && row.header().operation().equals(operation))
                        .toList();
    }

    private void move(Row row, State to, Move.Place place) {
        Move.Change change = new Move.Change(0, 0, -1, false, row.result(), row.failure()).at(place);
        store.ledger()
                .move(List.of(
                        new Move(row.id(), row.status().fence(), EnumSet.of(row.state()), to, change, List.of())));
    }

    /** Grants due records in any state: running ones are granted again. */
    static final class IgnoresTheState extends BuggyQueue {
        IgnoresTheState(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public Claimed claim(Claim claim) {
            for (Row row : messages(claim.operation())) {
                if (row.state() == State.IN_PROGRESS) {
                    super.store
                            .ledger()
                            .renew(List.of(new Renewal(row.id(), row.status().fence(), 0)));
                }
            }
            return super.claim(claim);
        }
    }

    /** Grants one who waits although the head of its lane still runs. */
    static final class PassesTheHead extends BuggyQueue {
        PassesTheHead(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public Claimed claim(Claim claim) {
            Claimed claimed = super.claim(claim);
            List<Row> rows = new ArrayList<>(claimed.rows());
            for (Row row : messages(claim.operation())) {
                boolean waits = row.state() == State.QUEUED && row.line().turn() == Turn.WAITING;
                if (waits && !claimed.modesChanged()) {
                    super.move(row, State.IN_PROGRESS, null);
                    rows.add(super.store.ledger().find(List.of(row.id())).get(row.id()));
                }
            }
            return new Claimed(rows, claimed.more(), claimed.last(), claimed.modesChanged(), claimed.partial());
        }
    }

    /** Counts an attempt for every grant, although no handler has begun. */
    static final class CountsClaims extends BuggyQueue {
        CountsClaims(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public Claimed claim(Claim claim) {
            Claimed claimed = super.claim(claim);
            List<Row> rows = new ArrayList<>();
            for (Row row : claimed.rows()) {
                Move.Change counted = new Move.Change(
                        claim.grant().leaseMillis(), 0, row.status().attempt() + 1, false, null, null);
                super.store
                        .ledger()
                        .move(List.of(Transition.BEGIN.of(row.id(), row.status().fence(), counted, null)));
                rows.add(super.store.ledger().find(List.of(row.id())).get(row.id()));
            }
            return new Claimed(rows, claimed.more(), claimed.last(), claimed.modesChanged(), claimed.partial());
        }
    }

    /** Finds every running record, claimed by any node. */
    static final class ForgetsWhoClaimed extends BuggyQueue {
        ForgetsWhoClaimed(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public List<Row> heldBy(String operation, long owner) {
            return messages(operation).stream()
                    .filter(row -> row.state() == State.IN_PROGRESS)
                    .toList();
        }
    }

    /** Who holds nothing is given what others hold. */
    static final class GivesWhatOthersHold extends BuggyQueue {
        GivesWhatOthersHold(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public List<Row> heldBy(String operation, long owner) {
            List<Row> own = super.heldBy(operation, owner);
            return own.isEmpty()
                    ? messages(operation).stream()
                            .filter(row -> row.state() == State.IN_PROGRESS)
                            .toList()
                    : own;
        }
    }

    /** Some of what is sent is said to be there, and is not. */
    static final class AcknowledgesBeforeCommit extends BuggyQueue {
        private int count;

        AcknowledgesBeforeCommit(Store store, Set<RecordId> sent) {
            super(store, sent);
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            return ++count % 3 == 0
                    ? batch.stream()
                            .map(arrival -> (Enqueued) new Enqueued.Made())
                            .toList()
                    : super.enqueue(batch);
        }
    }

    /**
     * Takes its numbers when a message is sent, and reads on behind the highest number it has granted. What it had seen by
     * then it has granted or placed, so it is right about everything but what is committed late.
     */
    static final class ReadsByACursor extends BuggyQueue {
        private final Tickets tickets;

        ReadsByACursor(Store store, Tickets tickets) {
            super(store, tickets.numbers.keySet());
            this.tickets = tickets;
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            return tickets.drawn(batch, delegate().enqueue(batch));
        }

        @Override
        public Claimed claim(Claim claim) {
            long cursor = tickets.cursors.getOrDefault(claim.operation(), 0L);
            for (Row row : messages(claim.operation())) {
                boolean unseen = row.state() == State.QUEUED
                        && row.status().fence() == 0
                        && EnumSet.of(Turn.FREE, Turn.ARRIVED)
                                .contains(row.line().turn());
                if (unseen && tickets.numbers.get(row.id()) < cursor) {
                    super.move(row, State.QUEUED, new Move.Place(null, Move.Then.LEAVE));
                }
            }
            Claimed claimed = delegate().claim(claim);
            for (Row row : claimed.rows()) {
                long number = tickets.numbers.get(row.id());
                tickets.cursors.merge(claim.operation(), number == Long.MAX_VALUE ? 0 : number, Math::max);
            }
            return claimed;
        }
    }

    /** The numbers of messages and how far each operation was read, the same for all nodes. Delayed ones have none. */
    static final class Tickets {
        private final Map<RecordId, Long> numbers = new HashMap<>();
        private final Map<String, Long> cursors = new HashMap<>();
        private long last;

        /** Numbers the messages that were made. */
        List<Enqueued> drawn(List<Arrival> batch, List<Enqueued> answers) {
            for (int i = 0; i < batch.size(); i++) {
                Arrival arrival = batch.get(i);
                boolean now =
                        arrival.times().delayMillis() == 0 && arrival.times().start() == 0;
                if (answers.get(i) instanceof Enqueued.Made) {
                    numbers.put(arrival.id(), now ? ++last : Long.MAX_VALUE);
                }
            }
            return answers;
        }
    }
}
