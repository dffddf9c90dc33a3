package dev.semel.examples.helpdesk;

import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Semel;
import dev.semel.http.ingress.Webhook;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Decides what is done about a message, and hands to a human what cannot be done. Decision and actions are one commit. */
final class Decisions {
    static final String PROCESSED = "mw-processed";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String INSERT_DECISION =
            "INSERT INTO helpdesk_decision (event, conversation, team) VALUES (?, ?, ?)";
    private static final String INSERT_HANDOVER =
            "INSERT INTO helpdesk_handover (death, conversation, reason) VALUES (?, ?, ?)";

    void register(Semel semel) {
        semel.handle(Channels.INBOX, this::receive);
        semel.handle(Channels.DECIDE, this::decide);
        semel.onDead(Channels.INBOX, this::undecodable);
        semel.onDead(Channels.ACT, this::handOver);
    }

    /** Two webhooks of different rules about one message meet here: the second send is a duplicate. */
    private void receive(Webhook webhook, AtomicContext tx) {
        TicketEvent event = TicketEvent.of(JSON.readTree(webhook.body()));
        tx.send(Channels.DECIDE, event.key(), event);
    }

    // region decide
    private void decide(TicketEvent event, AtomicContext tx) throws SQLException {
        String team = team(event.text());
        write(tx, INSERT_DECISION, event.key().text(), event.conversation(), team);
        act(tx, Action.assign(event, team));
        act(tx, Action.reply(event, "Thank you. Your message is with our team for " + team + "."));
        act(tx, Action.tag(event, PROCESSED));
    }
    // endregion

    private static void act(AtomicContext tx, Action action) {
        tx.send(Channels.ACT, action.key(), action);
    }

    private static String team(String text) {
        String words = text.toLowerCase(Locale.ROOT);
        if (words.contains("refund") || words.contains("money")) {
            return "refunds";
        }
        return words.contains("parcel") || words.contains("order") ? "shipping" : "general";
    }

    // region dead
    /** In the commit of the dead letter: a person finds the conversation in the list of handovers. */
    private void handOver(Death<Action> death, AtomicContext tx) throws SQLException {
        String conversation = death.payload().map(Action::conversation).orElse("unknown");
        write(tx, INSERT_HANDOVER, death.id(), conversation, death.failure().reason());
    }
    // endregion

    private void undecodable(Death<Webhook> death, AtomicContext tx) throws SQLException {
        String conversation =
                death.payload().map(webhook -> conversation(webhook.body())).orElse("unknown");
        write(tx, INSERT_HANDOVER, death.id(), conversation, death.failure().reason());
    }

    private static String conversation(byte[] body) {
        try {
            JsonNode json = JSON.readTree(body);
            return json.path("conversation_id").asString("unknown");
        } catch (JacksonException e) {
            return "unknown";
        }
    }

    private static void write(AtomicContext tx, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = tx.connection().prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
