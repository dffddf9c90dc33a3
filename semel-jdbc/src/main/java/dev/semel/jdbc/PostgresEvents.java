package dev.semel.jdbc;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The audit events of a batch, each with the place of its change in the batch. */
final class PostgresEvents {
    private static final String ALONE = PostgresSql.COMMON + """
            INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                policy, body)
            SELECT pg_current_xact_id()::text::bigint + c.tx_base, c.now, i.fence, i.attempt, e.type, e.tenant,
                e.operation, e.record, e.fingerprint, e.correlation, e.policy, e.body
            FROM c, %s JOIN unnest(?::int[], ?::bigint[], ?::int[]) AS i(n, fence, attempt) ON i.n = e.n
            ORDER BY e.n""".formatted(PostgresSql.EVENTS);

    private record Placed(int place, AuditEntry entry) {}

    private final List<Placed> placed = new ArrayList<>();

    static <T> PostgresEvents of(List<T> batch, Function<T, @Nullable AuditEntry> event) {
        PostgresEvents events = new PostgresEvents();
        for (int i = 0; i < batch.size(); i++) {
            AuditEntry entry = event.apply(batch.get(i));
            if (entry != null) {
                events.placed.add(new Placed(i, entry));
            }
        }
        return events;
    }

    boolean isEmpty() {
        return placed.isEmpty();
    }

    /** Fills {@link PostgresSql#EVENTS}. */
    void bind(Binder binder) throws SQLException {
        binder.ints(placed, Placed::place)
                .ints(placed, p -> p.entry.type())
                .texts(placed, p -> p.entry.subject().tenant())
                .texts(placed, p -> p.entry.subject().operation())
                .bytes(placed, p -> bytes(p.entry.subject().record()))
                .bytes(placed, p -> p.entry.subject().fingerprint())
                .texts(placed, p -> p.entry.subject().correlationId())
                .texts(placed, p -> p.entry.policy())
                .texts(placed, p -> p.entry.body());
    }

    /** Writes events that carry their own fence and attempt. */
    static void write(Connection connection, @Nullable Long now, List<AuditEntry> entries) throws SQLException {
        if (entries.isEmpty()) {
            return;
        }
        PostgresEvents events = of(entries, entry -> entry);
        try (PreparedStatement statement = connection.prepareStatement(ALONE)) {
            Binder binder = new Binder(statement).number(now);
            events.bind(binder);
            binder.ints(events.placed, Placed::place)
                    .longs(events.placed, p -> p.entry.fence())
                    .ints(events.placed, p -> p.entry.attempt());
            statement.executeUpdate();
        }
    }

    static AuditEntry under(AuditEntry entry, long fence, int attempt) {
        return new AuditEntry(entry.type(), entry.subject(), entry.policy(), fence, attempt, entry.body());
    }

    private static byte @Nullable [] bytes(@Nullable RecordId id) {
        return id == null ? null : id.bytes();
    }
}
