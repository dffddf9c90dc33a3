package dev.semel.examples.helpdesk;

import dev.semel.Key;
import dev.semel.key.Keys;
import org.jspecify.annotations.Nullable;

/**
 * One side effect on a conversation.
 *
 * @param kind reply, tag or assign
 * @param target the tag or the team; absent for a reply
 * @param text of a reply; empty otherwise
 * @param event the key of the event that it follows from
 */
record Action(String kind, String conversation, @Nullable String target, String text, String event) {
    static Action reply(TicketEvent event, String text) {
        return new Action("reply", event.conversation(), null, text, event.key().text());
    }

    static Action tag(TicketEvent event, String tag) {
        return new Action("tag", event.conversation(), tag, "", event.key().text());
    }

    static Action assign(TicketEvent event, String team) {
        return new Action("assign", event.conversation(), team, "", event.key().text());
    }

    /** The same action of the same event is done once. */
    Key key() {
        return Keys.action(TicketEvent.SOURCE + "_" + kind, conversation, target, event);
    }
}
