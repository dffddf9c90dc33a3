package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.AuditEntry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The audit events of a batch, one or none for each item. */
final class PostgresEvents {
    private static final int NONE = -1;

    private static final String ALONE = PostgresSql.COMMON
            + ", w AS (SELECT * FROM unnest(?::int[], ?::bigint[], ?::int[]" + PostgresSql.EVENT_ARRAYS
            + ") AS w(n, fence, attempt" + PostgresSql.EVENT_NAMES + ")) " + PostgresSql.WRITE_EVENTS;

    /** One by itself, see {@link PostgresSingleMove}. */
    private static final String ONE = String.format(Locale.ROOT, """
            INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy,
                body)
            SELECT pg_current_xact_id()::text::bigint + m.tx_base, %s, ?::bigint, ?::int, ?::smallint, ?, ?, ?, ?, ?, ?, ?
            FROM %s""", PostgresSql.NOW, PostgresSql.META);

    private final List<@Nullable AuditEntry> entries;

    private PostgresEvents(List<@Nullable AuditEntry> entries) {
        this.entries = entries;
    }

    static <T> PostgresEvents of(List<T> batch, Function<T, @Nullable AuditEntry> event) {
        List<@Nullable AuditEntry> entries = new ArrayList<>();
        batch.forEach(item -> entries.add(event.apply(item)));
        return new PostgresEvents(entries);
    }

    boolean isEmpty() {
        return entries.stream().allMatch(Objects::isNull);
    }

    /** Fills {@link PostgresSql#EVENT_ARRAYS}. */
    void bind(PostgresBinder binder) throws SQLException {
        binder.ints(entries, e -> e == null ? NONE : e.type())
                .texts(entries, e -> e == null ? null : e.subject().tenant())
                .texts(entries, e -> e == null ? null : e.subject().operation())
                .bytes(entries, e -> e == null ? null : Rows.bytes(e.subject().record()))
                .bytes(entries, e -> e == null ? null : e.subject().fingerprint())
                .texts(entries, e -> e == null ? null : e.subject().correlationId())
                .texts(entries, e -> e == null ? null : e.policy())
                .texts(entries, e -> e == null ? null : e.body());
    }

    /** Writes events that carry their own fence and attempt. */
    static void write(Connection connection, @Nullable Long now, List<AuditEntry> entries) throws SQLException {
        if (entries.isEmpty()) {
            return;
        }
        if (entries.size() == 1) {
            writeOne(connection, now, entries.get(0));
            return;
        }
        List<Integer> places = IntStream.range(0, entries.size()).boxed().toList();
        try (PreparedStatement statement = connection.prepareStatement(ALONE)) {
            PostgresBinder binder = new PostgresBinder(statement)
                    .number(now)
                    .ints(places, place -> place)
                    .longs(entries, AuditEntry::fence)
                    .ints(entries, AuditEntry::attempt);
            of(entries, entry -> entry).bind(binder);
            statement.executeUpdate();
        }
    }

    private static void writeOne(Connection connection, @Nullable Long now, AuditEntry entry) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(ONE)) {
            PostgresBinder binder = new PostgresBinder(statement)
                    .number(now)
                    .number(entry.fence())
                    .number(entry.attempt());
            bind(binder, entry);
            statement.executeUpdate();
        }
    }

    /** The common values of the events of a uniform batch; the rest of each is taken from its record. */
    static void bindShared(PostgresBinder binder, AuditEntry entry) throws SQLException {
        binder.number(entry.type())
                .text(entry.subject().tenant())
                .text(entry.subject().operation())
                .text(entry.policy())
                .text(entry.body());
    }

    /** The columns of an event, from its type on. */
    static void bind(PostgresBinder binder, AuditEntry entry) throws SQLException {
        AuditEntry.Subject subject = entry.subject();
        binder.number(entry.type())
                .text(subject.tenant())
                .text(subject.operation())
                .bytes(Rows.bytes(subject.record()))
                .bytes(subject.fingerprint())
                .text(subject.correlationId())
                .text(entry.policy())
                .text(entry.body());
    }

    static AuditEntry under(AuditEntry entry, long fence, int attempt) {
        return new AuditEntry(entry.type(), entry.subject(), entry.policy(), fence, attempt, entry.body());
    }
}
