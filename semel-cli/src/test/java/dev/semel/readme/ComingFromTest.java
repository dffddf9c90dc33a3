package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The change-over of docs/coming-from.md: old and new code beside each other do each order once. */
@Timeout(300)
class ComingFromTest {
    private static final Operation.Atomic<Order, Receipt> PLACE = Operation.atomic("place", Order.class, Receipt.class);

    record Order(String id, String item) {}

    record Receipt(String number) {}

    @TempDir
    Path directory;

    private final SQLiteDataSource source = new SQLiteDataSource();
    private final Tenant tenant = Tenant.of("acme");
    private final Order order = new Order("o-1", "book");

    @BeforeEach
    void makeTables() throws SQLException {
        source.setUrl("jdbc:sqlite:" + directory.resolve("shop.db"));
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE processed_messages (id TEXT PRIMARY KEY)");
            statement.execute("CREATE TABLE orders (id TEXT, item TEXT, receipt TEXT)");
        }
    }

    // region mark
    /** As the old code does it: whether the id is new. */
    private static boolean markProcessed(Connection connection, String id) throws SQLException {
        String sql = "INSERT INTO processed_messages (id) VALUES (?) ON CONFLICT DO NOTHING";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, id);
            return insert.executeUpdate() == 1;
        }
    }
    // endregion

    private static Receipt insertOrder(Connection connection, Order order) throws SQLException {
        Receipt receipt = new Receipt("r-" + order.id());
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?, ?)")) {
            insert.setString(1, order.id());
            insert.setString(2, order.item());
            insert.setString(3, receipt.number());
            insert.executeUpdate();
        }
        return receipt;
    }

    private static Receipt findReceipt(Connection connection, String id) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT receipt FROM orders WHERE id = ?")) {
            query.setString(1, id);
            try (ResultSet row = query.executeQuery()) {
                assertThat(row.next()).isTrue();
                return new Receipt(row.getString(1));
            }
        }
    }

    /** What is to be replaced. */
    private void placeByTheOldCode() throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            if (markProcessed(connection, order.id())) {
                insertOrder(connection, order);
            }
            connection.commit();
        }
    }

    private Answer<Receipt> placeByTheNewCode() {
        try (Semel semel = Semel.open(source)) {
            // region gap
            Answer<Receipt> answer = semel.run(PLACE, Call.of(tenant, Key.of(order.id()), order), (o, tx) -> {
                if (!markProcessed(tx.connection(), o.id())) {
                    return findReceipt(tx.connection(), o.id());
                }
                return insertOrder(tx.connection(), o);
            });
            // endregion
            return answer;
        }
    }

    private int orders() throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
            return row.getInt(1);
        }
    }

    @Test
    void retryOfWhatTheOldCodeDidGetsItsReceiptAndRepeatsNothing() throws SQLException {
        placeByTheOldCode();
        assertThat(placeByTheNewCode().orThrow()).isEqualTo(new Receipt("r-o-1"));
        assertThat(placeByTheNewCode()).isInstanceOf(Answer.Replayed.class);
        assertThat(orders()).isEqualTo(1);
    }

    @Test
    void retryOfWhatTheNewCodeDidIsSkippedByTheOldCode() throws SQLException {
        assertThat(placeByTheNewCode()).isInstanceOf(Answer.Executed.class);
        placeByTheOldCode();
        assertThat(orders()).isEqualTo(1);
        assertThat(placeByTheNewCode().orThrow()).isEqualTo(new Receipt("r-o-1"));
    }
}
