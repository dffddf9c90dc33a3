package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Failing reads, with any exception or error, do not affect the other readers. */
@Timeout(300)
class SqliteReadersTest {
    /** More than there are read connections. */
    private static final int MANY = 50;

    private static final List<SqliteReaders.Query<SqliteSession>> FAILING = List.of(
            session -> {
                throw new OutOfMemoryError("simulated");
            },
            session -> {
                throw new IllegalStateException("simulated");
            },
            session -> {
                throw new SQLException("simulated");
            });

    @TempDir
    private Path directory;

    private SqliteStore store;

    @BeforeEach
    void open() {
        store = SqliteFixture.open(directory.resolve("semel.db"));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private SqliteSession sound() {
        return store.access().read(session -> session);
    }

    @Test
    void b8_readersThatFailGiveTheirPlacesBack() {
        for (SqliteReaders.Query<SqliteSession> failing : FAILING) {
            for (int i = 0; i < MANY; i++) {
                assertThat(catchThrowable(() -> store.access().read(failing))).hasStackTraceContaining("simulated");
            }
            assertThat(sound()).isNotNull();
        }
    }

    @Test
    void b8_connectionOfAReaderThatFailedIsReplacedAndThatOfOthersIsUsedAgain() {
        SqliteSession first = sound();
        assertThat(sound()).isSameAs(first);
        for (SqliteReaders.Query<SqliteSession> failing : FAILING) {
            SqliteSession before = sound();
            assertThat(catchThrowable(() -> store.access().read(failing))).isNotNull();
            assertThat(sound()).isNotSameAs(before);
        }
    }
}
