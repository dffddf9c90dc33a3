package dev.semel.examples.planner.access;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The features that can be disabled for an organisation. */
@Component
public class Features {
    /** Announcements to everybody in the organisation. */
    public static final String ANNOUNCEMENTS = "announcements";

    private static final String DISABLED =
            "SELECT count(*) FROM disabled_feature WHERE organisation = :organisation AND name = :name";

    private final JdbcClient jdbc;

    Features(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Read each time, so that a change applies at once on all nodes. */
    public boolean isDisabled(String organisation, String feature) {
        return jdbc.sql(DISABLED)
                        .param("organisation", organisation)
                        .param("name", feature)
                        .query(Long.class)
                        .single()
                > 0;
    }
}
