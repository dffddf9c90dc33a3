package dev.semel.jdbc.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Permits;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Ledgers that version 1 made, with a record in every state. An engine's own class ({@code SqliteVersion1},
 * {@code PostgresVersion1}) puts them in place.
 */
public final class Version1 {
    /** The version behind this code's. */
    public static final int NEXT = Schema.VERSION + 1;

    private Version1() {}

    public static byte[] resource(String name) {
        try (InputStream in = Version1.class.getResourceAsStream("version1/" + name)) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> upgradeStatements(Schema schema) {
        return List.of(schema.script(2).replaceAll("--[^\n]*", "").strip().split(";"));
    }

    /** The same upgrade, stopped by a fault before each of its statements and before its end. */
    public static List<Schema> stopping(Schema schema) {
        List<String> statements = upgradeStatements(schema);
        return IntStream.rangeClosed(0, statements.size())
                .mapToObj(done -> new Schema(
                        schema.engine(),
                        2,
                        version -> String.join(";", statements.subList(0, done)) + ";\nSELECT nowhere;"))
                .toList();
    }

    /** The upgrade with one more statement in its middle. */
    public static Schema with(Schema schema, String statement) {
        List<String> statements = new ArrayList<>(upgradeStatements(schema));
        statements.add(statements.size() / 2, statement);
        return new Schema(
                schema.engine(), 2, version -> version == 2 ? String.join(";", statements) : schema.script(version));
    }

    /** A version behind this code's, made by the script. */
    public static Schema next(Schema schema, String script) {
        return new Schema(schema.engine(), NEXT, version -> version == NEXT ? script : schema.script(version));
    }

    /** Runs a main class in a JVM of its own. */
    public static Process start(Class<?> main, String argument, Path log) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        argument)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    public static long grant(Store store, String key) {
        long modes = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(modes, List.of(new Sample(key).reservation()))
                        .get(0))
                .fence();
    }

    /** A record of the older version is found by the correlation id that it was made with. */
    public static void assertFoundByCorrelation(Store store) {
        Row row = row(store, new Sample("completed").id());
        assertThat(store.ledger()
                        .findByCorrelation(row.header().tenant(), row.header().correlationId(), 100))
                .extracting(Row::id)
                .contains(row.id());
    }

    /** Rate limits for all nodes came with version 4. */
    public static void assertCountsPermits(Store store) {
        Permits permits = store.permits().orElseThrow();
        Permits.Take three = new Permits.Take("charge", "", 3_600_000_000_000L, 2, 3, false);
        assertThat(permits.take(three).permits()).isEqualTo(2);
        assertThat(permits.take(three).permits()).isZero();
    }

    /** The history of activity came with version 5. */
    public static void assertKeepsActivity(Store store) {
        ActivityLog activity = store.activity().orElseThrow();
        ActivityCounts counts = ActivityCounts.parse("executed 3");
        activity.write(List.of(new ActivityRow(ActivityLog.ActivityStep.HOURS, 0, "", "charge", 1, counts)));
        assertThat(activity.read(ActivityLog.ActivityStep.HOURS, "", 0, 1))
                .containsExactly(new ActivityRow(ActivityLog.ActivityStep.HOURS, 0, "", "charge", 0, counts));
    }

    /** A record in every state exists; the run continues under its fence, and messages keep their order. */
    public static void assertAllRecordsWork(Store store) {
        long newest = 0;
        for (State state : State.values()) {
            if (state != State.QUEUED) {
                Row row = row(store, new Sample(state.name().toLowerCase(Locale.ROOT)).id());
                assertThat(row.state()).isEqualTo(state);
                newest = Math.max(newest, row.status().fence());
            }
        }
        Sample running = new Sample("in_progress");
        Move end = new Move(
                running.id(),
                row(store, running.id()).status().fence(),
                Set.of(State.IN_PROGRESS),
                State.COMPLETED,
                Move.Change.NONE,
                running.event());
        assertThat(store.ledger().move(List.of(end))).containsExactly(new Moved.Applied());
        assertThat(grant(store, "new")).isGreaterThan(newest);
        assertThat(store.queue()
                        .orElseThrow()
                        .claim(ChannelFixture.claim(store, 10, 10))
                        .rows())
                .extracting(row -> row.header().key())
                .containsExactlyInAnyOrder("free", "first", "second");
    }

    private static Row row(Store store, RecordId id) {
        return Objects.requireNonNull(store.ledger().find(List.of(id)).get(id));
    }
}
