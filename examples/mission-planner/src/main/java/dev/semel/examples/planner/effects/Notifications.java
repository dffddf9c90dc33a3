package dev.semel.examples.planner.effects;

import dev.semel.LeasedContext;
import dev.semel.spring.SemelChannel;
import org.springframework.stereotype.Component;

/** Tells people what concerns them. It may be tried more than once, so each delivery carries the key of its message. */
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
                new Notifier.Delivery(run.downstreamKey(), run.correlationId()));
    }
}
