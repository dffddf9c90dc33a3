package dev.semel.examples.helpdesk;

import dev.semel.Death;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.json.JsonMapper;

/** The conversations that wait for a human, and why. One row for each cause, however often it is written. */
final class Handovers {
    private static final String INSERT =
            "INSERT INTO helpdesk_handover (cause, conversation, reason) VALUES (?, ?, ?) ON CONFLICT (cause) DO NOTHING";
    private static final String LIST = "SELECT DISTINCT conversation FROM helpdesk_handover ORDER BY conversation";
    private static final String CLOSE = "DELETE FROM helpdesk_handover WHERE conversation = ?";

    private Handovers() {}

    // region dead
    /** In the commit of the dead letter: a person finds the conversation in the list of handovers. */
    static <P> Death.Handler<P> onDead(Function<? super P, String> conversation) {
        return (death, tx) -> add(
                tx.connection(),
                death.id(),
                death.payload().map(conversation).orElse("unknown"),
                death.failure().reason());
    }
    // endregion

    static void add(Connection connection, String cause, String conversation, String reason) throws SQLException {
        write(connection, INSERT, cause, conversation, reason);
    }

    static List<String> conversations(Connection connection) throws SQLException {
        List<String> conversations = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(LIST);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                conversations.add(rows.getString(1));
            }
        }
        return conversations;
    }

    /** Somebody has looked after it; returns whether it was in the list. */
    static boolean close(Connection connection, String conversation) throws SQLException {
        return write(connection, CLOSE, conversation) > 0;
    }

    /** The conversation of a payload, which the ingress has checked to be JSON. */
    static String conversationOf(byte[] body) {
        return JsonMapper.shared().readTree(body).path("conversation_id").asString("unknown");
    }

    static int write(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
