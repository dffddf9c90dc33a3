package dev.semel.examples.planner.effects;

import dev.semel.examples.planner.access.Caller;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** A substitute where no mail service is configured: it stores each delivery once. */
@Component
class Inbox {
    private static final String PUT = """
            INSERT INTO notification (organisation, id, person, words, actor, request_id)
            VALUES (:organisation, :id, :person, :words, :actor, :request)
            ON CONFLICT DO NOTHING
            """;

    private static final String READ =
            "SELECT words FROM notification WHERE organisation = :organisation AND person = :person ORDER BY id"
                    + " LIMIT 100";

    private final JdbcClient jdbc;

    Inbox(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void put(Notifier.Note note, Notifier.Delivery delivery) {
        jdbc.sql(PUT)
                .param("organisation", note.organisation())
                .param("id", delivery.key())
                .param("person", note.person())
                .param("words", note.words())
                .param("actor", delivery.by().person())
                .param("request", delivery.by().requestId())
                .update();
    }

    List<String> read(Caller caller) {
        return jdbc.sql(READ)
                .param("organisation", caller.organisation())
                .param("person", caller.person())
                .query(String.class)
                .list();
    }
}
