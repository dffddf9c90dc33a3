package dev.semel.examples.helpdesk;

import dev.semel.Failure;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.Tenant;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Reconciliation: fetches the tickets without the processed mark and sends their messages in again, under the keys of their webhooks. One
 * that is known already is a duplicate, so this may run at any time and as often as wanted.
 */
final class MissedTickets {
    private final Semel semel;
    private final HelpdeskApi helpdesk;

    MissedTickets(Semel semel, HelpdeskApi helpdesk) {
        this.semel = semel;
        this.helpdesk = helpdesk;
    }

    /** Returns how many had never arrived. A ticket that cannot be read is handed to a human and holds up no other. */
    int sendMissing() throws Exception {
        int missing = 0;
        for (JsonNode ticket : helpdesk.ticketsWithout(Decisions.PROCESSED)) {
            try {
                if (send(ticket) instanceof Sent.Accepted accepted && accepted.first()) {
                    missing++;
                }
            } catch (Failure.Thrown e) {
                handOver(ticket, e.failure());
            }
        }
        return missing;
    }

    private Sent send(JsonNode ticket) {
        Optional<MessageReference> incomplete = MessageReference.ofIncomplete(ticket);
        if (incomplete.isPresent()) {
            return semel.send(
                    Channels.FETCH, Message.of(Tenant.SINGLE, incomplete.get().key(), incomplete.get()));
        }
        TicketEvent event = TicketEvent.of(ticket);
        return semel.send(Channels.DECIDE, Message.of(Tenant.SINGLE, event.key(), event));
    }

    private void handOver(JsonNode ticket, Failure failure) throws Exception {
        String conversation = ticket.path("conversation_id").asString("unknown");
        semel.inTransaction(tx -> {
            Handovers.add(tx.connection(), "ticket:" + conversation, conversation, failure.reason());
            return null;
        });
    }
}
