package dev.semel.testkit;

import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A ledger with one bug in it. */
final class PlantedLedger extends ForwardingLedger {
    private final StoreBug bug;
    private final Store store;
    private final TimeSource time;

    PlantedLedger(StoreBug bug, Store store, TimeSource time) {
        super(store.ledger());
        this.bug = bug;
        this.store = store;
        this.time = time;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        long version =
                bug == StoreBug.MODES_IGNORED ? store.switchboard().modes().version() : modesVersion;
        List<Reserved> answers = new ArrayList<>();
        for (Reservation reservation : batch) {
            Row row = delegate()
                    .find(Set.of(reservation.identity().id()))
                    .get(reservation.identity().id());
            if (bug == StoreBug.TAKES_OVER_THE_UNREPEATABLE_OUTSIDE && row != null && isOverOutside(row)) {
                // Granted as if only this reservation's own declaration counted.
                delegate()
                        .move(List.of(MoveBuilder.of(row.id(), row.status().fence(), State.FAILED_RETRYABLE)
                                .in(0)
                                .move()));
            }
            if (bug == StoreBug.LEASE_OVER_TOO_LATE && isAtItsEdge(row)) {
                answers.add(new Reserved.Existing(row, time.millis()));
            } else if (bug == StoreBug.DOUBLE_CLAIM && row != null && row.state() == State.IN_PROGRESS) {
                answers.add(
                        new Reserved.Granted(row.status().fence(), row.status().attempt(), false));
            } else {
                answers.addAll(delegate().reserve(version, List.of(spoilt(reservation))));
            }
        }
        return answers;
    }

    private boolean isOverOutside(Row row) {
        return row.state() == State.IN_PROGRESS
                && row.status().at() <= time.millis()
                && OutsideGrant.of(row.status()) != null;
    }

    private boolean isAtItsEdge(Row row) {
        return row != null && row.state() == State.IN_PROGRESS && row.status().at() == time.millis();
    }

    private Reservation spoilt(Reservation given) {
        Reservation.Grant grant = given.grant();
        Header header = given.header();
        return switch (bug) {
            case TAKES_OVER_THE_UNREPEATABLE ->
                with(given, new Reservation.Grant(grant.owner(), grant.leaseMillis(), true, grant.maxAttempts()));
            case TAKES_OVER_WITHOUT_END ->
                with(
                        given,
                        new Reservation.Grant(
                                grant.owner(), grant.leaseMillis(), grant.repeatable(), Integer.MAX_VALUE));
            case OWNER_FORGOTTEN ->
                with(
                        given,
                        new Reservation.Grant(
                                System.nanoTime(), grant.leaseMillis(), grant.repeatable(), grant.maxAttempts()));
            case PARENT_IGNORED ->
                new Reservation(given.identity(), header, given.payload(), grant, null, given.takenOver());
            case KEYS_FOLDED ->
                new Reservation(
                        given.identity(),
                        new Header(
                                header.tenant(),
                                header.operation(),
                                header.key().toLowerCase(Locale.ROOT),
                                header.fingerprint(),
                                header.correlationId(),
                                header.parent()),
                        given.payload(),
                        grant,
                        given.parent(),
                        given.takenOver());
            default -> given;
        };
    }

    private static Reservation with(Reservation given, Reservation.Grant grant) {
        return new Reservation(
                given.identity(), given.header(), given.payload(), grant, given.parent(), given.takenOver());
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return delegate().move(batch.stream().map(this::spoilt).toList());
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        List<Move> spoilt = batch.stream().map(this::spoilt).toList();
        return bug == StoreBug.TOGETHER_IN_PART
                ? Moved.together(delegate().move(spoilt))
                : delegate().moveTogether(spoilt);
    }

    private Move spoilt(Move given) {
        if (bug == StoreBug.NO_FENCE_CHECK) {
            Row row = delegate().find(Set.of(given.id())).get(given.id());
            long fence = row == null ? given.fence() : row.status().fence();
            return new Move(given.id(), fence, given.from(), given.to(), given.change(), given.events());
        }
        Move.Place place = given.change().place();
        if (bug == StoreBug.LANE_HEAD_LOST && place != null) {
            Move.Change change = given.change().at(new Move.Place(null, place.then()));
            return new Move(given.id(), given.fence(), given.from(), given.to(), change, given.events());
        }
        if (bug == StoreBug.EVENT_LOST) {
            return new Move(given.id(), given.fence(), given.from(), given.to(), given.change(), List.of());
        }
        if (bug == StoreBug.STATE_NOT_CHECKED) {
            return new Move(
                    given.id(), given.fence(), Set.of(State.values()), given.to(), given.change(), given.events());
        }
        return given;
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        List<Boolean> held = delegate().renew(batch);
        return bug == StoreBug.RENEWAL_ALWAYS_GRANTED
                ? held.stream().map(each -> true).toList()
                : held;
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        if (bug == StoreBug.PURGE_OF_A_LIVE_RECORD) {
            for (Row row :
                    delegate().overdue(State.UNKNOWN, Set.of(ReservationBuilder.OPERATION), Cursor.OLDEST, limit)) {
                delegate()
                        .move(List.of(
                                MoveBuilder.removing(row.id(), row.status().fence())
                                        .from(State.UNKNOWN)
                                        .move()));
            }
        }
        return delegate().purge(limit, events);
    }
}
