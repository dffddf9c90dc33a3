package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.GuardedConnection;
import dev.semel.jdbc.shared.SqlRules;
import dev.semel.jdbc.shared.TransactionWatch;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A statement that one handler closed may serve the next one, without any visible difference. */
class SqliteStatementCacheTest {
    /** Nothing here ends a transaction. */
    private static final TransactionWatch UNWATCHED = new TransactionWatch() {
        @Override
        public SqlRules rules() {
            return SqliteSqlRules.RULES;
        }

        @Override
        public void sessionChanges(String by) {}

        @Override
        public boolean isOpen(boolean failed, boolean batch) {
            return true;
        }
    };

    private static final String INSERT = "INSERT INTO effect (who, amount) VALUES (?, ?)";

    private final SqliteStatementCache cache = new SqliteStatementCache();
    private Connection real;

    @FunctionalInterface
    private interface Handler {
        void on(Connection connection) throws SQLException;
    }

    @BeforeEach
    void open() throws SQLException {
        real = DriverManager.getConnection("jdbc:sqlite::memory:");
        EffectFixture.execute(real, "CREATE TABLE effect (n INTEGER PRIMARY KEY, who TEXT, amount INTEGER)");
    }

    @AfterEach
    void close() throws SQLException {
        real.close();
    }

    @Test
    void statementThatOnlyChangedRowsServesTheNextHandler() throws SQLException {
        handle(connection -> insert(connection, "a", 1));
        assertThat(cache.size()).isEqualTo(1);
        PreparedStatement kept = cache.take(INSERT);
        assertThat(kept).isNotNull();
        cache.giveBack(INSERT, kept);
        handle(connection -> insert(connection, "b", 2));
        assertThat(cache.take(INSERT)).isSameAs(kept);
        assertThat(rows()).containsExactly("a=1", "b=2");
    }

    @Test
    void parametersOfAnEarlierHandlerAreGone() throws SQLException {
        handle(connection -> insert(connection, "a", 1));
        handle(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.setString(1, "b");
                statement.executeUpdate();
            }
        });
        handle(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.executeUpdate();
            }
        });
        assertThat(rows()).containsExactly("a=1", "b=null", "null=null");
    }

    @Test
    void closedStatementDoesNothingThoughItServesAnother() throws SQLException {
        handle(connection -> {
            PreparedStatement old = connection.prepareStatement(INSERT);
            old.setString(1, "old");
            old.close();
            old.close();
            try (PreparedStatement fresh = connection.prepareStatement(INSERT)) {
                fresh.setString(1, "fresh");
                assertThat(old.isClosed()).isTrue();
                assertThat(fresh.isClosed()).isFalse();
                assertThatThrownBy(() -> old.setString(1, "late")).isInstanceOf(SQLException.class);
                assertThatThrownBy(old::executeUpdate).isInstanceOf(SQLException.class);
                old.close();
                fresh.executeUpdate();
            }
        });
        assertThat(rows()).containsExactly("fresh=null");
        assertThat(cache.size()).isEqualTo(1);
    }

    @Test
    void twoOfOneTextAreTwoStatements() throws SQLException {
        handle(connection -> {
            try (PreparedStatement one = connection.prepareStatement(INSERT);
                    PreparedStatement two = connection.prepareStatement(INSERT)) {
                one.setString(1, "one");
                two.setString(1, "two");
                two.executeUpdate();
                one.executeUpdate();
            }
        });
        assertThat(rows()).containsExactly("two=null", "one=null");
        assertThat(cache.size()).isEqualTo(1);
    }

    @Test
    void statementThatAHandlerLeftOpenIsClosedAndNotKept() throws SQLException {
        List<PreparedStatement> left = new ArrayList<>();
        handle(connection -> left.add(connection.prepareStatement(INSERT)));
        assertThat(cache.size()).isZero();
        left.get(0).close();
        assertThat(cache.size()).isZero();
    }

    @Test
    void failedStatementIsNotKept() throws SQLException {
        EffectFixture.execute(real, "CREATE UNIQUE INDEX once ON effect (who)");
        handle(connection -> {
            insert(connection, "a", 1);
            assertThatThrownBy(() -> insert(connection, "a", 2)).isInstanceOf(SQLException.class);
            assertThat(cache.size()).isZero();
            insert(connection, "b", 3);
        });
        assertThat(rows()).containsExactly("a=1", "b=3");
    }

    @Test
    void changedStatementIsNotKept() throws SQLException {
        handle(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.setQueryTimeout(1);
                statement.executeUpdate();
            }
            assertThat(cache.size()).isZero();
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.executeUpdate();
                try (ResultSet keys = statement.getGeneratedKeys()) {
                    assertThat(keys.next()).isTrue();
                }
            }
        });
        assertThat(cache.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRAGMA user_version = 7", "CREATE TABLE other (n INTEGER)", "DROP TABLE effect"})
    void onlyChangesOfRowsAreKept(String sql) throws SQLException {
        handle(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.executeUpdate();
            }
        });
        assertThat(cache.size()).isZero();
    }

    @Test
    void queriesAreNotKept() throws SQLException {
        handle(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT count(*) FROM effect")) {
                statement.executeQuery().close();
            }
        });
        assertThat(cache.size()).isZero();
    }

    @Test
    void tableMayChangeBetweenTwoHandlers() throws SQLException {
        handle(connection -> insert(connection, "a", 1));
        handle(connection ->
                EffectFixture.execute(connection, "ALTER TABLE effect ADD COLUMN note TEXT DEFAULT 'none' NOT NULL"));
        handle(connection -> insert(connection, "b", 2));
        assertThat(EffectFixture.number(real, "SELECT count(*) FROM effect WHERE note = 'none'"))
                .isEqualTo(2);
    }

    @Test
    void shelfIsBounded() throws SQLException {
        handle(connection -> {
            for (int i = 0; i < SqliteStatementCache.CAPACITY + 10; i++) {
                String sql = "INSERT INTO effect (amount) VALUES (" + i + ")";
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.executeUpdate();
                }
            }
        });
        assertThat(cache.size()).isEqualTo(SqliteStatementCache.CAPACITY);
        assertThat(rows()).hasSize(SqliteStatementCache.CAPACITY + 10);
    }

    private void handle(Handler handler) throws SQLException {
        GuardedConnection guarded = new GuardedConnection(real, cache, UNWATCHED);
        handler.on(guarded.seen());
        guarded.end();
    }

    private static void insert(Connection connection, String who, int amount) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, who);
            statement.setInt(2, amount);
            statement.executeUpdate();
        }
    }

    private List<String> rows() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = real.createStatement();
                ResultSet found = statement.executeQuery("SELECT who, amount FROM effect ORDER BY n")) {
            while (found.next()) {
                rows.add(found.getString(1) + "=" + found.getObject(2));
            }
        }
        return rows;
    }
}
