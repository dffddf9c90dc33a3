package dev.semel.examples.helpdesk;

import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.Tenant;

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

    /** Returns how many had never arrived. */
    int sendMissing() throws InterruptedException {
        int missing = 0;
        for (TicketEvent event : helpdesk.ticketsWithout(Decisions.PROCESSED)) {
            Sent sent = semel.send(Channels.DECIDE, Message.of(Tenant.SINGLE, event.key(), event));
            if (sent instanceof Sent.Accepted accepted && accepted.first()) {
                missing++;
            }
        }
        return missing;
    }
}
