package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Move;
import dev.semel.store.Renewal;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM whose locale has digits of its own. Statements are put together as classes are loaded, so it takes one of its own. */
@Timeout(120)
class ForeignDigitsTest {
    @TempDir
    private Path directory;

    /** Goes through the statements of leased calls, messages, sweeps and purges. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Locale.setDefault(Locale.forLanguageTag(arguments[0]));
            if (String.format("%d", 17).equals("17")) {
                throw new IllegalStateException(arguments[0] + " has no digits of its own on this JVM.");
            }
            try (Store store = Stores.open(arguments[1], StoreProvider.Options.DEFAULT)) {
                lease(store);
                queue(store);
            }
        }

        private static void lease(Store store) {
            long modes = store.switchboard().modes().version();
            Sample one = new Sample("one");
            Reserved alone =
                    store.ledger().reserve(modes, List.of(one.reservation())).get(0);
            store.ledger().reserve(modes, List.of(new Sample("two").reservation(), new Sample("three").reservation()));
            long fence = ((Reserved.Granted) alone).fence();
            store.ledger().renew(List.of(new Renewal(one.id(), fence, 1_000)));
            store.ledger()
                    .move(List.of(new Move(
                            one.id(),
                            fence,
                            Set.of(State.IN_PROGRESS),
                            State.COMPLETED,
                            Move.Change.NONE,
                            one.event())));
            if (store.ledger().find(List.of(one.id())).get(one.id()).state() != State.COMPLETED) {
                throw new IllegalStateException("one is not completed");
            }
            for (State state : State.values()) {
                store.ledger().overdue(state, Set.of("charge"), 10);
            }
            store.ledger().purge(10, counts -> List.of());
        }

        private static void queue(Store store) throws Exception {
            store.queue().orElseThrow().enqueue(List.of(SqliteQueueFixture.arrival("m", null)));
            int claimed = store.queue()
                    .orElseThrow()
                    .claim(SqliteQueueFixture.claim(store, 10, 1))
                    .rows()
                    .size();
            if (claimed != 1) {
                throw new IllegalStateException(claimed + " messages were claimed");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG", "th-TH-u-nu-thai"})
    void leasesClaimsAndSweepsWorkOnPostgres(String locale) throws Exception {
        runs(locale, FreshSchema.make().url());
    }

    @Test
    void leasesClaimsAndSweepsWorkOnSqlite() throws Exception {
        runs("ar-EG", "sqlite:" + directory.resolve("ledger.db"));
    }

    private void runs(String locale, String url) throws Exception {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        locale,
                        url)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as(Files.readString(log)).isZero();
    }
}
