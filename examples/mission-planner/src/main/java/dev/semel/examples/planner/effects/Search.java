package dev.semel.examples.planner.effects;

import dev.semel.Tenant;
import dev.semel.examples.planner.access.Caller;
import dev.semel.spring.SemelChannel;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The search index: the names of missions, as of the last message that was handled. */
@Component
class Search {
    private static final String NAME = "SELECT name FROM mission WHERE organisation = :organisation AND id = :mission";

    private static final String PUT = """
            INSERT INTO search_entry (organisation, mission, words, actor, request_id)
            VALUES (:organisation, :mission, :words, :actor, :request)
            ON CONFLICT (organisation, mission)
                DO UPDATE SET words = excluded.words, actor = excluded.actor, request_id = excluded.request_id
            """;

    private static final String REMOVE =
            "DELETE FROM search_entry WHERE organisation = :organisation AND mission = :mission";

    private static final String FIND = """
            SELECT mission FROM search_entry
            WHERE organisation = :organisation AND words LIKE :like ESCAPE '!' ORDER BY mission LIMIT 100
            """;

    private final JdbcClient jdbc;

    Search(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Indexes the current state of the mission, so the order of messages does not matter. */
    @SemelChannel("search.index-mission")
    @Transactional
    public void index(Jobs.IndexMission message, Tenant organisation) {
        Optional<String> name = jdbc.sql(NAME)
                .param("organisation", organisation.name())
                .param("mission", message.mission())
                .query(String.class)
                .optional();
        JdbcClient.StatementSpec write = name.isPresent()
                ? jdbc.sql(PUT)
                        .param("words", name.get().toLowerCase(Locale.ROOT))
                        .param("actor", message.by().person())
                        .param("request", message.by().requestId())
                : jdbc.sql(REMOVE);
        write.param("organisation", organisation.name())
                .param("mission", message.mission())
                .update();
    }

    /** The ids of missions that have these words in their names. */
    List<String> find(Caller caller, String words) {
        String literal = words.toLowerCase(Locale.ROOT)
                .replace("!", "!!")
                .replace("%", "!%")
                .replace("_", "!_");
        return jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("like", "%" + literal + "%")
                .query(String.class)
                .list();
    }
}
