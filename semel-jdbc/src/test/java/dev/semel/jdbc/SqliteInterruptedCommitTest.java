package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Transactions.Ended;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B8: an error of the virtual machine left it open whether COMMIT was carried out, and another process goes on writing. */
@Timeout(60)
class SqliteInterruptedCommitTest {
    @TempDir
    private Path directory;

    private SqliteStore store;
    private SqliteStore otherProcess;
    private SqliteLine line;

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("semel.db");
        store = SqliteFixture.open(file);
        otherProcess = SqliteFixture.open(file);
        SqliteFixture.makeTable(store);
        line = store.access().writer().run(held -> Ended.undo(held));
    }

    @AfterEach
    void close() {
        store.close();
        otherProcess.close();
    }

    /** All that a commit does before COMMIT. */
    private void upToCommit() throws SQLException {
        line.begin();
        line.nextFence();
        line.session().execute("UPDATE semel_meta SET fence = fence + 1");
    }

    @Test
    void b8_aCommitIsFoundAlthoughAnotherProcessHasCommittedSince() throws Exception {
        upToCommit();
        line.session().execute("COMMIT");
        assertThat(SqliteFixture.call(otherProcess, "other")).isTrue();
        assertThat(line.hasCommitted()).isTrue();
    }

    @Test
    void b8_aCommitThatWasNotCarriedOutIsNotFound() throws Exception {
        upToCommit();
        assertThat(line.hasCommitted()).isFalse();
        line.rollback();
    }
}
