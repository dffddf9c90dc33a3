package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.BatchParts;
import dev.semel.jdbc.shared.ReservationRule;
import dev.semel.key.RecordId;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** One batch of reservations: records are inserted, else read, else granted again, round by round until all are answered. */
final class PostgresReserve {
    /** Each further round means that a record was deleted between the insert and the read. */
    private static final int ROUNDS = 50;

    private static final String WHAT = "a reservation";

    private final PostgresSessions sessions;
    private final long modesVersion;
    private final List<Reservation> batch;
    private final Map<RecordId, Reserved> answers = new HashMap<>();

    PostgresReserve(PostgresSessions sessions, long modesVersion, List<Reservation> batch) {
        this.sessions = sessions;
        this.modesVersion = modesVersion;
        this.batch = batch;
    }

    /** Some may be granted already when the store fails: those keep their answers, the others get the failure. */
    List<Reserved> run() {
        try {
            return rounds();
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            if (answers.isEmpty()) {
                throw e;
            }
            return batch.stream()
                    .map(r -> answers.getOrDefault(r.identity().id(), new Reserved.ReserveFailed(e)))
                    .toList();
        }
    }

    private List<Reserved> rounds() {
        for (int round = 0; round < ROUNDS; round++) {
            insert();
            List<Reservation> rest = unanswered();
            if (!rest.isEmpty()) {
                List<Reservation> grantable = look(rest);
                if (!grantable.isEmpty()) {
                    grant(grantable);
                }
            }
            if (answers.size() == batch.size()) {
                return batch.stream().map(r -> answers.get(r.identity().id())).toList();
            }
        }
        throw new SemelException.StoreUnavailable(
                sessions.name() + ": " + unanswered().size()
                        + " records were deleted by others each time they were reserved; nothing was granted. Repeat the call.");
    }

    private void insert() {
        List<Reservation> open =
                unanswered().stream().filter(r -> r.grant().mayBeOf(null)).toList();
        if (open.isEmpty()) {
            return;
        }
        boolean plain = open.stream()
                .allMatch(r -> r.parent() == null && r.identity().neighbours().isEmpty());
        try {
            answers.putAll(
                    plain
                            ? sessions.checked(
                                    WHAT, c -> new PostgresGrants(c, sessions.now()).insert(modesVersion, open))
                            : sessions.transaction(WHAT, c -> insert(c, open)));
        } catch (SemelException.Locked | SemelException.DataRefused e) {
            apart(open, e, this::insert);
        }
    }

    private Map<RecordId, Reserved> insert(Connection connection, List<Reservation> open) throws SQLException {
        Map<RecordId, Reserved> made = new HashMap<>();
        List<Reservation> left = hold(connection, open, made);
        made.putAll(new PostgresGrants(connection, sessions.now()).insert(modesVersion, left));
        return made;
    }

    @FunctionalInterface
    private interface GrantStatement {
        Map<RecordId, Reserved> grant(Connection connection, List<Reservation> part) throws SQLException;
    }

    private void apart(List<Reservation> open, SemelException why, GrantStatement way) {
        BatchParts.each(
                open,
                why,
                (part, hasty) -> answers.putAll(sessions.transaction(WHAT, hasty, c -> way.grant(c, part))),
                (reservation, e) -> answers.put(reservation.identity().id(), BatchParts.notReserved(reservation, e)));
    }

    /** Answers reservations that need no grant, from existing rows; returns the other existing ones. */
    private List<Reservation> look(List<Reservation> rest) {
        PostgresGrants.Seen seen = sessions.checked(
                WHAT,
                c -> new PostgresGrants(c, sessions.now())
                        .read(rest.stream().map(r -> r.identity().id()).toList()));
        List<Reservation> grantable = new ArrayList<>();
        for (Reservation reservation : rest) {
            RecordId id = reservation.identity().id();
            Row row = seen.rows().get(id);
            if (!reservation.grant().mayBeOf(null) && (row == null || row.expired(seen.now()))) {
                answers.put(id, new Reserved.Absent());
                continue;
            }
            ReservationRule verdict =
                    row == null ? ReservationRule.REPLACE : ReservationRule.of(reservation, row, seen.now());
            if (verdict == ReservationRule.OWN) {
                answers.put(
                        id,
                        new Reserved.Granted(row.status().fence(), row.status().attempt(), false));
            } else if (verdict == ReservationRule.LEAVE) {
                answers.put(id, new Reserved.Existing(row, seen.now()));
            } else if (seen.modesVersion() != modesVersion) {
                answers.put(id, new Reserved.ModesChanged());
            } else if (row != null) {
                grantable.add(reservation);
            }
        }
        return grantable;
    }

    private void grant(List<Reservation> grantable) {
        try {
            answers.putAll(sessions.transaction(WHAT, c -> grant(c, grantable)));
        } catch (SemelException.Locked | SemelException.DataRefused e) {
            apart(grantable, e, this::grant);
        }
    }

    private Map<RecordId, Reserved> grant(Connection connection, List<Reservation> grantable) throws SQLException {
        Map<RecordId, Reserved> made = new HashMap<>();
        List<Reservation> left = hold(connection, grantable, made);
        if (!left.isEmpty()) {
            made.putAll(new PostgresGrants(connection, sessions.now()).grant(modesVersion, left));
        }
        return made;
    }

    /** Locks the rows that the grants depend on; returns the reservations that may continue. */
    private List<Reservation> hold(Connection connection, List<Reservation> open, Map<RecordId, Reserved> made)
            throws SQLException {
        PostgresGrants grants = new PostgresGrants(connection, sessions.now());
        List<Reservation> bucketed =
                open.stream().filter(r -> !r.identity().neighbours().isEmpty()).toList();
        if (!bucketed.isEmpty()) {
            grants.lockNumbers(bucketed.stream().map(r -> r.identity().lock()).toList());
        }
        List<Reservation.Parent> parents =
                open.stream().map(Reservation::parent).filter(Objects::nonNull).toList();
        if (!parents.isEmpty()) {
            Set<Reservation.Parent> lost = grants.lostParents(parents);
            open.stream()
                    .filter(r -> r.parent() != null && lost.contains(r.parent()))
                    .forEach(r -> made.put(r.identity().id(), new Reserved.ParentLost()));
        }
        if (!bucketed.isEmpty()) {
            neighbours(grants, bucketed, made);
        }
        return open.stream().filter(r -> !made.containsKey(r.identity().id())).toList();
    }

    /**
     * The record of a neighbouring time bucket is returned as it stands and never granted: the reservation is for another one.
     */
    private static void neighbours(PostgresGrants grants, List<Reservation> bucketed, Map<RecordId, Reserved> made)
            throws SQLException {
        List<RecordId> ids = new ArrayList<>();
        for (Reservation reservation : bucketed) {
            ids.add(reservation.identity().id());
            ids.addAll(reservation.identity().neighbours());
        }
        PostgresGrants.Seen seen = grants.read(ids);
        for (Reservation reservation : bucketed) {
            Row own = seen.rows().get(reservation.identity().id());
            if (own != null && !own.expired(seen.now())) {
                continue;
            }
            reservation.identity().neighbours().stream()
                    .map(seen.rows()::get)
                    .filter(row -> row != null && !row.expired(seen.now()))
                    .findFirst()
                    .ifPresent(row ->
                            made.putIfAbsent(reservation.identity().id(), new Reserved.Existing(row, seen.now())));
        }
    }

    private List<Reservation> unanswered() {
        return batch.stream()
                .filter(r -> !answers.containsKey(r.identity().id()))
                .toList();
    }
}
