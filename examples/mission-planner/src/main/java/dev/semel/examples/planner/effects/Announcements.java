package dev.semel.examples.planner.effects;

import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.examples.planner.access.Features;
import dev.semel.spring.SemelChannel;
import dev.semel.spring.SemelOnDead;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Notifies everybody in an organisation. The feature may have been disabled since the request, so it is checked again. */
@Component
class Announcements {
    private static final String PUT = """
            INSERT INTO notification (organisation, id, person, words, actor, request_id)
            SELECT :organisation, :id || '/' || person, person, :words, :actor, :request
            FROM (SELECT DISTINCT person FROM access_token
                WHERE organisation = :organisation AND revoked = 0) people
            WHERE 1 = 1
            ON CONFLICT DO NOTHING
            """;

    private final JdbcClient jdbc;
    private final Features features;

    Announcements(JdbcClient jdbc, Features features) {
        this.jdbc = jdbc;
        this.features = features;
    }

    // region disabled
    @SemelChannel("notifications.announce")
    @Transactional
    public void announce(Jobs.Announce message, Tenant organisation) {
        if (features.isDisabled(organisation.name(), Features.ANNOUNCEMENTS)) {
            throw Failure.of(Failure.Category.DISABLED, "Announcements are disabled for this organisation.")
                    .asException();
        }
        write(message, organisation);
    }

    /** In the commit of the dead letter: whoever made the announcement learns why it was not delivered. */
    @SemelOnDead("notifications.announce")
    public void undelivered(Death<Jobs.Announce> death, AtomicContext tx) {
        death.payload().ifPresent(message -> {
            String why =
                    "Your announcement was not delivered: " + death.failure().reason();
            Jobs.TellPerson told = new Jobs.TellPerson(message.by().person(), why, message.by());
            tx.send(
                    Jobs.NOTIFICATIONS,
                    Message.of(death.tenant(), death.key("tell"), told).withCorrelationId(death.correlationId()));
        });
    }
    // endregion

    private void write(Jobs.Announce message, Tenant organisation) {
        Key job = Jobs.hashKey(organisation, Jobs.ANNOUNCEMENTS, message.words());
        jdbc.sql(PUT)
                .param("organisation", organisation.name())
                .param("id", job.text())
                .param("words", message.words())
                .param("actor", message.by().person())
                .param("request", message.by().requestId())
                .update();
    }
}
