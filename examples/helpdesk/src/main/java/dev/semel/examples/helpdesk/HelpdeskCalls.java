package dev.semel.examples.helpdesk;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;

/** Everything that calls the helpdesk on behalf of a message: the actions, and fetching what a payload lacks. */
final class HelpdeskCalls {
    private final Semel semel;
    private final HelpdeskApi helpdesk;
    private final Checkpoint checkpoint;

    HelpdeskCalls(Semel semel, HelpdeskApi helpdesk, Checkpoint checkpoint) {
        this.semel = semel;
        this.helpdesk = helpdesk;
        this.checkpoint = checkpoint;
    }

    void register() {
        semel.onDead(Channels.ACT, Handovers.onDead(Action::conversation));
        semel.onDead(Channels.FETCH, Handovers.onDead(MessageReference::conversation));
        // region act
        Channel.Capacity capacity = Channel.Capacity.of(8)
                .withRateLimit(Channel.RateLimit.perSecond(50))
                .withBreaker(Channel.Breaker.usual());
        semel.handle(Channels.ACT, capacity, this::act);
        // endregion
        semel.handle(Channels.FETCH, this::fetch);
    }

    private void act(Action action, LeasedContext run) throws Exception {
        checkpoint.reached("act.before-call");
        try {
            helpdesk.act(action);
        } catch (Failure.Thrown e) {
            if (e.failure().category() == Failure.Category.AUTH) {
                askForLogin(action);
            }
            throw e;
        }
        checkpoint.reached("act.after-call");
    }

    /** The channel pauses itself; a person has to renew the login, and knows which conversation waits for it. */
    private void askForLogin(Action action) throws Exception {
        semel.inTransaction(tx -> {
            Handovers.add(
                    tx.connection(),
                    "login:" + action.key().text(),
                    action.conversation(),
                    "The helpdesk rejected the login. Renew it, then run `semel channels resume " + Channels.ACT.name()
                            + "`.");
            return null;
        });
    }

    /** A repetition after a crash sends the same event again, which is a duplicate. */
    private void fetch(MessageReference reference, LeasedContext run) throws InterruptedException {
        TicketEvent event = helpdesk.message(reference);
        run.send(Channels.DECIDE, event.key(), event);
    }
}
