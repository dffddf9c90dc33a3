package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import dev.semel.examples.planner.effects.Effects;
import dev.semel.http.ExpectedVersion;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The missions of a project. A write changes one mission; the messages for the search index and the dashboard are sent in the same
 * transaction.
 */
@Service
class Missions {
    private static final String INSERT = """
            INSERT INTO mission (organisation, id, project, name, status, version)
            VALUES (:organisation, :id, :project, :name, :status, 1)
            """;

    private static final String UPDATE = """
            UPDATE mission SET name = :name, status = :status, version = version + 1
            WHERE organisation = :organisation AND id = :id AND version = :version
            """;

    private static final String DELETE =
            "DELETE FROM mission WHERE organisation = :organisation AND id = :id AND version = :version";

    private static final String FIND = """
            SELECT id, project, name, status, version FROM mission
            WHERE organisation = :organisation AND id = :id
            """;

    private static final String LIST = """
            SELECT id, project, name, status, version FROM mission
            WHERE organisation = :organisation AND project = :project ORDER BY id LIMIT :limit
            """;

    private static final String ASSIGNED =
            "SELECT count(*) FROM assignment WHERE organisation = :organisation AND mission = :id";

    private final JdbcClient jdbc;
    private final Projects projects;
    private final ChangeHistory trail;
    private final Effects effects;

    Missions(JdbcClient jdbc, Projects projects, ChangeHistory trail, Effects effects) {
        this.jdbc = jdbc;
        this.projects = projects;
        this.trail = trail;
        this.effects = effects;
    }

    /** The status of a mission. */
    enum Status {
        PLANNED,
        ACTIVE,
        DONE
    }

    record Mission(String id, String project, String name, Status status, long version) {}

    /** The request body. */
    record MissionDraft(
            @Nullable String name,
            @Nullable Status status,
            @Nullable Long version) {}

    @Transactional
    public Mission create(Caller caller, String project, MissionDraft draft) {
        projects.get(caller, project);
        Status status = draft.status() == null ? Status.PLANNED : draft.status();
        Mission made =
                new Mission(UUID.randomUUID().toString(), project, InputChecks.text("name", draft.name()), status, 1);
        jdbc.sql(INSERT)
                .param("organisation", caller.organisation())
                .param("id", made.id())
                .param("project", project)
                .param("name", made.name())
                .param("status", status.name())
                .update();
        return changed(caller, "mission.created", made);
    }

    /** Replaces all fields. */
    @Transactional
    public Mission replace(Caller caller, String id, MissionDraft draft) {
        return write(
                caller,
                id,
                InputChecks.text("name", draft.name()),
                InputChecks.present("status", draft.status()),
                draft.version());
    }

    /** Changes the given fields. */
    @Transactional
    public Mission change(Caller caller, String id, MissionDraft draft) {
        Mission now = get(caller, id);
        String name = draft.name() == null ? now.name() : InputChecks.text("name", draft.name());
        return write(caller, id, name, draft.status() == null ? now.status() : draft.status(), draft.version());
    }

    /** Compares the version in the UPDATE itself, so that one of two concurrent writes fails. */
    private Mission write(Caller caller, String id, String name, Status status, @Nullable Long expected) {
        long version = InputChecks.version(expected);
        int changed = jdbc.sql(UPDATE)
                .param("organisation", caller.organisation())
                .param("id", id)
                .param("version", version)
                .param("name", name)
                .param("status", status.name())
                .update();
        Mission now = get(caller, id);
        if (changed == 0) {
            ExpectedVersion.of(version).demand(now.version());
        }
        return changed(caller, "mission.changed", now);
    }

    @Transactional
    public void delete(Caller caller, String id, @Nullable Long expected) {
        Mission now = get(caller, id);
        long version = InputChecks.version(expected);
        ExpectedVersion.of(version).demand(now.version());
        Long assigned = jdbc.sql(ASSIGNED)
                .param("organisation", caller.organisation())
                .param("id", id)
                .query(Long.class)
                .single();
        if (assigned > 0) {
            throw Refusal.conflict(
                    "mission.has_assignments",
                    "Conflict: the mission has assignments. Move or" + " remove them first.");
        }
        int removed = jdbc.sql(DELETE)
                .param("organisation", caller.organisation())
                .param("id", id)
                .param("version", version)
                .update();
        if (removed == 0) {
            ExpectedVersion.of(version).demand(get(caller, id).version());
        }
        changed(caller, "mission.deleted", new Mission(id, now.project(), now.name(), now.status(), version + 1));
    }

    private Mission changed(Caller caller, String action, Mission mission) {
        trail.wrote(caller, action, "mission/" + mission.id(), mission.version());
        effects.missionChanged(caller, mission.project(), mission.id(), mission.version());
        return mission;
    }

    Mission get(Caller caller, String id) {
        return jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("id", id)
                .query(Mission.class)
                .optional()
                .orElseThrow(() -> Refusal.notFound("mission"));
    }

    List<Mission> list(Caller caller, String project, int limit) {
        projects.get(caller, project);
        return jdbc.sql(LIST)
                .param("organisation", caller.organisation())
                .param("project", project)
                .param("limit", limit)
                .query(Mission.class)
                .list();
    }
}
