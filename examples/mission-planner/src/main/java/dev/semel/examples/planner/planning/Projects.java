package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import dev.semel.http.ExpectedVersion;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The projects of an organisation. */
@Service
class Projects {
    private static final String INSERT =
            "INSERT INTO project (organisation, id, name, version) VALUES (:organisation, :id, :name, 1)";

    private static final String RENAME = """
            UPDATE project SET name = :name, version = version + 1
            WHERE organisation = :organisation AND id = :id AND version = :version
            """;

    private static final String FIND =
            "SELECT id, name, version FROM project WHERE organisation = :organisation AND id = :id";

    private static final String LIST =
            "SELECT id, name, version FROM project WHERE organisation = :organisation ORDER BY id LIMIT :limit";

    private final JdbcClient jdbc;
    private final ChangeHistory trail;

    Projects(JdbcClient jdbc, ChangeHistory trail) {
        this.jdbc = jdbc;
        this.trail = trail;
    }

    record Project(String id, String name, long version) {}

    /** The request body. */
    record ProjectDraft(@Nullable String name, @Nullable Long version) {}

    @Transactional
    public Project create(Caller caller, ProjectDraft draft) {
        Project made = new Project(UUID.randomUUID().toString(), InputChecks.text("name", draft.name()), 1);
        jdbc.sql(INSERT)
                .param("organisation", caller.organisation())
                .param("id", made.id())
                .param("name", made.name())
                .update();
        trail.wrote(caller, "project.created", "project/" + made.id(), made.version());
        return made;
    }

    @Transactional
    public Project rename(Caller caller, String id, ProjectDraft draft) {
        long version = InputChecks.version(draft.version());
        int changed = jdbc.sql(RENAME)
                .param("organisation", caller.organisation())
                .param("id", id)
                .param("version", version)
                .param("name", InputChecks.text("name", draft.name()))
                .update();
        Project now = get(caller, id);
        if (changed == 0) {
            ExpectedVersion.of(version).demand(now.version());
        }
        trail.wrote(caller, "project.renamed", "project/" + id, now.version());
        return now;
    }

    Project get(Caller caller, String id) {
        return find(caller, id).orElseThrow(() -> Refusal.notFound("project"));
    }

    private Optional<Project> find(Caller caller, String id) {
        return jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("id", id)
                .query(Project.class)
                .optional();
    }

    List<Project> list(Caller caller, int limit) {
        return jdbc.sql(LIST)
                .param("organisation", caller.organisation())
                .param("limit", limit)
                .query(Project.class)
                .list();
    }
}
