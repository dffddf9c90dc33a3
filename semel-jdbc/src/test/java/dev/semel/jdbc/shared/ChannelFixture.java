package dev.semel.jdbc.shared;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Queue;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A channel, its messages, and a worker that does nothing but to claim and to finish. */
public final class ChannelFixture {
    public static final String CHANNEL = "mail";
    private static final long DAY = 86_400_000;
    private static final int BATCH = 500;

    private ChannelFixture() {}

    public static Queue queue(Store store) {
        return store.queue().orElseThrow();
    }

    /** @param lanes 0 for none */
    public static void send(Store store, int count, int lanes) {
        List<Arrival> batch = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            batch.add(arrival("k" + i, lanes == 0 ? null : new Line.Lane(i % lanes, "lane-" + i % lanes)));
            if (batch.size() == BATCH || i == count - 1) {
                queue(store).enqueue(batch);
                batch.clear();
            }
        }
    }

    public static Arrival arrival(String key, Line.Lane lane) {
        Header header = new Header("acme", CHANNEL, key, EffectFixture.FINGERPRINT, "correlation", null);
        return new Arrival(
                Identity.of(Tenant.of("acme"), CHANNEL, Key.of(key)).id(),
                header,
                key.getBytes(StandardCharsets.UTF_8),
                lane,
                Arrival.ArrivalTimes.NOW,
                event(header, 1));
    }

    private static AuditEntry event(Header header, int type) {
        return new AuditEntry(
                type,
                new AuditEntry.Subject(
                        header.tenant(),
                        header.operation(),
                        Identity.of(Tenant.of(header.tenant()), header.operation(), Key.of(header.key()))
                                .id(),
                        header.fingerprint().bytes(),
                        header.correlationId()),
                "policy",
                0,
                0,
                null);
    }

    public static Claim claim(Store store, int records, int run) {
        return claim(store, records, run, Claim.Budget.NONE);
    }

    public static Claim claim(Store store, int records, int run, Claim.Budget budget) {
        return new Claim(
                CHANNEL,
                store.switchboard().modes().version(),
                new Reservation.Grant(7, DAY, true, 100),
                new Claim.Amount(records, run, budget),
                Claim.Turns.ALL,
                row -> null);
    }

    public static void finish(Store store, List<Row> rows) {
        store.ledger().move(rows.stream().map(row -> move(row, State.COMPLETED)).toList());
    }

    /** Completed ones leave the line, others stay where they are. */
    public static Move move(Row row, State to) {
        Line line = row.line();
        Line.Lane lane = line == null ? null : line.lane();
        Move.Place place =
                to == State.COMPLETED ? new Move.Place(lane == null ? null : lane.number(), Move.Then.LEAVE) : null;
        long delay = to == State.COMPLETED ? DAY : 0;
        return new Move(
                row.id(),
                row.status().fence(),
                Set.of(State.IN_PROGRESS),
                to,
                new Move.Change(delay, 0, -1, false, null, null).at(place),
                event(row.header(), 2));
    }

    /** Claims and finishes until nothing is left; says what it was granted, in order. */
    public static List<String> drain(Store store, int records, int run) {
        List<String> keys = new ArrayList<>();
        while (queue(store).backlog(CHANNEL).waiting() > 0) {
            List<Row> rows = queue(store).claim(claim(store, records, run)).rows();
            rows.forEach(row -> keys.add(row.header().key()));
            finish(store, rows);
        }
        return keys;
    }
}
