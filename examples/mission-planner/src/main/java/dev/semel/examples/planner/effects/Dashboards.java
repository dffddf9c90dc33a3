package dev.semel.examples.planner.effects;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.semel.Tenant;
import dev.semel.examples.planner.access.Caller;
import dev.semel.spring.SemelChannel;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The number of missions and assignments of a project: counted after a change, stored, and cached for a few seconds. A commit on this
 * node invalidates an entry; on other nodes it expires.
 */
@Component
class Dashboards {
    private static final String REFRESH = """
            INSERT INTO dashboard (organisation, project, missions, assignments, actor, request_id)
            SELECT :organisation, :project,
                (SELECT count(*) FROM mission WHERE organisation = :organisation AND project = :project),
                (SELECT count(*) FROM assignment a
                    JOIN mission m ON m.organisation = a.organisation AND m.id = a.mission
                    WHERE a.organisation = :organisation AND m.project = :project),
                :actor, :request
            WHERE 1 = 1
            ON CONFLICT (organisation, project)
                DO UPDATE SET missions = excluded.missions, assignments = excluded.assignments,
                    actor = excluded.actor, request_id = excluded.request_id
            """;

    private static final String READ =
            "SELECT missions, assignments FROM dashboard WHERE organisation = :organisation AND project = :project";

    private final JdbcClient jdbc;
    private final Cache<Place, Dashboard> cache;

    /** @param age the maximum age of an entry */
    Dashboards(JdbcClient jdbc, @Value("${planner.dashboard-age}") Duration age) {
        this.jdbc = jdbc;
        this.cache =
                Caffeine.newBuilder().expireAfterWrite(age).maximumSize(10_000).build();
    }

    /** The cache key; it includes the organisation. */
    private record Place(String organisation, String project) {}

    record Dashboard(long missions, long assignments) {
        static final Dashboard EMPTY = new Dashboard(0, 0);
    }

    @SemelChannel("dashboard.refresh")
    @Transactional
    public void refresh(Jobs.RefreshDashboard message, Tenant organisation) {
        jdbc.sql(REFRESH)
                .param("organisation", organisation.name())
                .param("project", message.project())
                .param("actor", message.by().person())
                .param("request", message.by().requestId())
                .update();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                forget(organisation.name(), message.project());
            }
        });
    }

    Dashboard read(Caller caller, String project) {
        return cache.get(
                new Place(caller.organisation(), project),
                place -> jdbc.sql(READ)
                        .param("organisation", place.organisation())
                        .param("project", place.project())
                        .query(Dashboard.class)
                        .optional()
                        .orElse(Dashboard.EMPTY));
    }

    /** Also invalidates reads in progress, which may have seen the old state. */
    void forget(String organisation, String project) {
        cache.asMap().compute(new Place(organisation, project), (place, old) -> null);
    }
}
