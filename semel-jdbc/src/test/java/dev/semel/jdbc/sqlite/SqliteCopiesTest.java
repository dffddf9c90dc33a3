package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.Reserved;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A17: ledgers that were made from one backup of a file. */
class SqliteCopiesTest {
    private static final int FENCES = 20;

    @TempDir
    private Path directory;

    private Path original;
    private long newest;

    @BeforeEach
    void makeALedger() {
        original = directory.resolve("ledger.db");
        try (SqliteStore store = SqliteFixture.open(original)) {
            newest = fence(store, "before the backup");
        }
    }

    @Test
    void a17_copiesOfAFileWithItsSidecarIssueNoFenceTwice() throws Exception {
        Path first = copy("first", true);
        Path second = copy("second", true);
        assertDifferent(fences(original, false), fences(first, false), fences(second, false));
    }

    @Test
    void a17_copiesOfAFileAloneThatWereAdoptedIssueNoFenceTwice() throws Exception {
        Path first = copy("first", false);
        Path second = copy("second", false);
        assertDifferent(fences(original, false), fences(first, true), fences(second, true));
    }

    @Test
    void fileThatIsOpenedAgainWhereItWasKeepsItsEpoch() {
        try (SqliteStore store = SqliteFixture.open(original)) {
            assertThat(store.switchboard().epoch()).isEqualTo(1);
            assertThat(fence(store, "again")).isGreaterThan(newest);
        }
    }

    /** A planted bug: copies take the same new epoch, and count on from the same place. */
    @Test
    void a17_copiesThatContinueFromTheSameFenceAreCaught() throws Exception {
        Path first = copy("first", true);
        Path second = copy("second", true);
        prepare(first, counter -> 0);
        prepare(second, counter -> 0);
        Set<Long> ofFirst = fences(first, false);
        Set<Long> ofSecond = fences(second, false);
        assertThatThrownBy(() -> assertDifferent(ofFirst, ofSecond)).isInstanceOf(AssertionError.class);
    }

    private static void prepare(Path copy, LongUnaryOperator jump) throws Exception {
        SqliteClock clock = new SqliteClock(TimeSource.system());
        SqliteFile file = SqliteFile.of("sqlite:" + copy, clock.time());
        try (SqliteSession session = file.connect(SqliteFile.Role.WRITE)) {
            new SqliteSchema(session, new SqliteSidecar(copy), file, clock, SqliteSchema.SCHEMA, jump)
                    .open(StoreProvider.Options.DEFAULT);
        }
    }

    private Path copy(String name, boolean withSidecar) throws Exception {
        Path copy = Files.createDirectory(directory.resolve(name)).resolve("ledger.db");
        Files.copy(original, copy);
        if (withSidecar) {
            Files.copy(directory.resolve("ledger.db.epoch"), copy.resolveSibling("ledger.db.epoch"));
        }
        return copy;
    }

    @SafeVarargs
    private void assertDifferent(Set<Long>... fences) {
        Set<Long> all = new HashSet<>();
        int count = 0;
        for (Set<Long> each : fences) {
            assertThat(each).allMatch(fence -> fence > newest);
            count += each.size();
            all.addAll(each);
        }
        assertThat(all).hasSize(count);
    }

    private static Set<Long> fences(Path file, boolean adopt) {
        Set<Long> fences = new HashSet<>();
        try (SqliteStore store = SqliteFixture.open(file, new StoreProvider.Options(null, adopt))) {
            for (int i = 0; i < FENCES; i++) {
                fences.add(fence(store, "after the backup " + i));
            }
        }
        assertThat(fences).hasSize(FENCES);
        return fences;
    }

    private static long fence(SqliteStore store, String key) {
        long modes = store.switchboard().modes().version();
        Reserved reserved = store.ledger()
                .reserve(modes, List.of(EffectFixture.reservation(key, key.hashCode())))
                .get(0);
        return ((Reserved.Granted) reserved).fence();
    }
}
