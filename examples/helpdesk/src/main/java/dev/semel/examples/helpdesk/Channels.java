package dev.semel.examples.helpdesk;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.http.ingress.Webhook;

/** The channels of the middleware, in the order in which a message passes through them. */
final class Channels {
    /** Everything that acts on the helpdesk: one switch stops it, or lets it decide only. */
    static final String SIDE_EFFECTS = "side-effects";

    /** Five attempts; delays double from one second to one minute, plus or minus a half. A longer Retry-After of the helpdesk counts. */
    static final Policy HELPDESK = Policy.WORKER_JOB.toBuilder()
            .withName("helpdesk.action")
            .withRetention(Policy.Retention.WEBHOOKS)
            .build();

    /** Durable before the helpdesk gets its 200. */
    static final Channel.Atomic<Webhook> INBOX = Webhook.atomic("helpdesk.inbox");

    /** Fetches what a payload lacks. It only reads, so it has no label. */
    static final Channel.Leased<MessageReference> FETCH = Channel.leased("helpdesk.fetch", MessageReference.class)
            .withLane(MessageReference::conversation)
            .withPolicy(HELPDESK);

    /** Decides; one message of a conversation at a time. The helpdesk's lists may round the time, so it is not compared. */
    static final Channel.Atomic<TicketEvent> DECIDE = Channel.atomic("helpdesk.decide", TicketEvent.class)
            .withTransportFields("createdAt")
            .withLane(TicketEvent::conversation)
            .withPolicy(Webhook.INBOX);

    /** Replies, tags and assigns; in order within a conversation. */
    static final Channel.Leased<Action> ACT = Channel.leased("helpdesk.act", Action.class)
            .withLane(Action::conversation)
            .withPolicy(HELPDESK)
            .withLabel(SIDE_EFFECTS);

    private Channels() {}
}
