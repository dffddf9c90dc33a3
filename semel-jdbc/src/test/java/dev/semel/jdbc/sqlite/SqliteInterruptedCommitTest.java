package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.Transactions.Ended;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * B8: after an error of the virtual machine it is unknown whether COMMIT was executed, and another process keeps
 * writing.
 */
@Timeout(300)
class SqliteInterruptedCommitTest {
    @TempDir
    private Path directory;

    private SqliteStore store;
    private SqliteStore otherProcess;
    private SqliteWriteConnection db;

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("semel.db");
        store = SqliteFixture.open(file);
        otherProcess = SqliteFixture.open(file);
        EffectFixture.makeTable(store);
        db = store.access().writer().run(held -> Ended.undo(held));
    }

    @AfterEach
    void close() {
        store.close();
        otherProcess.close();
    }

    /** All that a commit does before COMMIT. */
    private void upToCommit() throws SQLException {
        db.begin();
        db.nextFence();
        db.session().execute("UPDATE semel_meta SET fence = fence + 1");
    }

    @Test
    void b8_commitIsFoundAlthoughAnotherProcessHasCommittedSince() throws Exception {
        upToCommit();
        db.session().execute("COMMIT");
        assertThat(EffectFixture.call(otherProcess, "other")).isTrue();
        assertThat(db.hasCommitted()).isTrue();
    }

    @Test
    void b8_commitThatWasNotCarriedOutIsNotFound() throws Exception {
        upToCommit();
        assertThat(db.hasCommitted()).isFalse();
        db.rollback();
    }
}
