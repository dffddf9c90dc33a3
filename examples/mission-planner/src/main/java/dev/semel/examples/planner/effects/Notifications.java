package dev.semel.examples.planner.effects;

import dev.semel.LeasedContext;
import dev.semel.spring.SemelChannel;
import org.springframework.stereotype.Component;

/** Notifies people. A delivery may be retried, so it has the key of its message. */
@Component
class Notifications {
    private final Notifier notifier;

    Notifications(Notifier notifier) {
        this.notifier = notifier;
    }

    @SemelChannel("notifications.tell-person")
    public void tell(Jobs.TellPerson message, LeasedContext run) {
        notifier.tell(
                new Notifier.Note(run.tenant().name(), message.person(), message.words()),
                new Notifier.Delivery(run.downstreamKey(), run.correlationId(), message.by()));
    }
}
