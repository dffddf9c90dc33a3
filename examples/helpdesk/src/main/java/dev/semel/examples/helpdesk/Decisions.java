package dev.semel.examples.helpdesk;

import dev.semel.AtomicContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.http.ingress.Webhook;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Decides what is done about a message. Decision and actions are one commit. */
final class Decisions {
    static final String PROCESSED = "mw-processed";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String INSERT_DECISION =
            "INSERT INTO helpdesk_decision (event, conversation, team) VALUES (?, ?, ?) ON CONFLICT (event) DO NOTHING";

    private final Checkpoint checkpoint;

    Decisions(Checkpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    void register(Semel semel) {
        semel.onDead(Channels.INBOX, Handovers.onDead(webhook -> Handovers.conversationOf(webhook.body())));
        semel.onDead(Channels.DECIDE, Handovers.onDead(TicketEvent::conversation));
        semel.handle(Channels.INBOX, this::receive);
        semel.handle(Channels.DECIDE, this::decide);
    }

    /** Webhooks of several rules about one message meet in the key of the event: the second send is a duplicate. */
    private void receive(Webhook webhook, AtomicContext tx) {
        JsonNode json = JSON.readTree(webhook.body());
        Optional<MessageReference> incomplete = MessageReference.ofIncomplete(json);
        if (incomplete.isPresent()) {
            tx.send(Channels.FETCH, incomplete.get().key(), incomplete.get());
        } else {
            TicketEvent event = TicketEvent.of(json);
            tx.send(Channels.DECIDE, event.key(), event);
        }
        checkpoint.reached("receive.before-commit");
    }

    // region decide
    private void decide(TicketEvent event, AtomicContext tx) throws SQLException {
        String team = team(event.text());
        Handovers.write(tx.connection(), INSERT_DECISION, event.key().text(), event.conversation(), team);
        act(tx, Action.assign(event, team));
        act(tx, Action.reply(event, "Thank you. Your message is with our team for " + team + "."));
        act(tx, Action.tag(event, PROCESSED));
        checkpoint.reached("decide.before-commit");
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
}
