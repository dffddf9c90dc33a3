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

/** Assignments of people to missions. A move writes only the assignment, not the missions. */
@Service
class Assignments {
    private static final String INSERT = """
            INSERT INTO assignment (organisation, id, mission, person, version)
            VALUES (:organisation, :id, :mission, :person, 1)
            """;

    private static final String MOVE = """
            UPDATE assignment SET mission = :mission, version = version + 1
            WHERE organisation = :organisation AND id = :id AND version = :version
            """;

    private static final String DELETE =
            "DELETE FROM assignment WHERE organisation = :organisation AND id = :id AND version = :version";

    private static final String FIND =
            "SELECT id, mission, person, version FROM assignment WHERE organisation = :organisation AND id = :id";

    private static final String LIST = """
            SELECT id, mission, person, version FROM assignment
            WHERE organisation = :organisation AND mission = :mission ORDER BY id LIMIT :limit
            """;

    private final JdbcClient jdbc;
    private final Missions missions;
    private final ChangeHistory trail;
    private final Effects effects;

    Assignments(JdbcClient jdbc, Missions missions, ChangeHistory trail, Effects effects) {
        this.jdbc = jdbc;
        this.missions = missions;
        this.trail = trail;
        this.effects = effects;
    }

    record Assignment(String id, String mission, String person, long version) {}

    /** The request body for a new assignment. */
    record AssignmentDraft(@Nullable String person) {}

    /** The request body for a move. */
    record Move(@Nullable String mission, @Nullable Long version) {}

    @Transactional
    public Assignment create(Caller caller, String mission, AssignmentDraft draft) {
        Missions.Mission to = missions.get(caller, mission);
        Assignment made =
                new Assignment(UUID.randomUUID().toString(), mission, InputChecks.text("person", draft.person()), 1);
        jdbc.sql(INSERT)
                .param("organisation", caller.organisation())
                .param("id", made.id())
                .param("mission", mission)
                .param("person", made.person())
                .update();
        changed(caller, "assignment.created", made, to.project());
        effects.tell(caller, resource(made), made.version(), made.person(), "You are assigned to " + to.name() + ".");
        return made;
    }

    @Transactional
    public Assignment move(Caller caller, String id, Move move) {
        long version = InputChecks.version(move.version());
        Missions.Mission to = missions.get(caller, InputChecks.present("mission", move.mission()));
        Missions.Mission from = missions.get(caller, get(caller, id).mission());
        int moved = jdbc.sql(MOVE)
                .param("organisation", caller.organisation())
                .param("id", id)
                .param("version", version)
                .param("mission", to.id())
                .update();
        Assignment now = get(caller, id);
        if (moved == 0) {
            ExpectedVersion.of(version).demand(now.version());
        }
        changed(caller, "assignment.moved", now, to.project());
        if (!from.project().equals(to.project())) {
            effects.assignmentChanged(caller, from.project(), id, now.version());
        }
        effects.tell(caller, resource(now), now.version(), now.person(), "You are moved to " + to.name() + ".");
        return now;
    }

    @Transactional
    public void delete(Caller caller, String id, @Nullable Long expected) {
        long version = InputChecks.version(expected);
        Assignment now = get(caller, id);
        ExpectedVersion.of(version).demand(now.version());
        int removed = jdbc.sql(DELETE)
                .param("organisation", caller.organisation())
                .param("id", id)
                .param("version", version)
                .update();
        if (removed == 0) {
            ExpectedVersion.of(version).demand(get(caller, id).version());
        }
        Assignment gone = new Assignment(id, now.mission(), now.person(), version + 1);
        changed(
                caller,
                "assignment.deleted",
                gone,
                missions.get(caller, now.mission()).project());
    }

    private void changed(Caller caller, String action, Assignment assignment, String project) {
        trail.wrote(caller, action, resource(assignment), assignment.version());
        effects.assignmentChanged(caller, project, assignment.id(), assignment.version());
    }

    private static String resource(Assignment assignment) {
        return "assignment/" + assignment.id();
    }

    Assignment get(Caller caller, String id) {
        return jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("id", id)
                .query(Assignment.class)
                .optional()
                .orElseThrow(() -> Refusal.notFound("assignment"));
    }

    List<Assignment> list(Caller caller, String mission, int limit) {
        missions.get(caller, mission);
        return jdbc.sql(LIST)
                .param("organisation", caller.organisation())
                .param("mission", mission)
                .param("limit", limit)
                .query(Assignment.class)
                .list();
    }
}
