package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import dev.semel.http.ExpectedVersion;
import dev.semel.http.VersionMismatch;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The briefing of a project, at most one. Its version is the time of its last change, which only grows. */
@Service
class Briefings {
    private static final String INSERT = """
            INSERT INTO briefing (organisation, project, words, updated_at)
            VALUES (:organisation, :project, :words, :next) ON CONFLICT DO NOTHING
            """;

    private static final String UPDATE = """
            UPDATE briefing SET words = :words, updated_at = :next
            WHERE organisation = :organisation AND project = :project AND updated_at = :last
            """;

    private static final String FIND =
            "SELECT words, updated_at FROM briefing WHERE organisation = :organisation AND project = :project";

    private final JdbcClient jdbc;
    private final Projects projects;
    private final ChangeHistory trail;
    private final Clock clock = Clock.systemUTC();

    Briefings(JdbcClient jdbc, Projects projects, ChangeHistory trail) {
        this.jdbc = jdbc;
        this.projects = projects;
        this.trail = trail;
    }

    record Briefing(String project, String words, Instant updatedAt) {}

    /**
     * The request body.
     *
     * @param updatedAt as the client has read it; or in the header {@code If-Match}; absent for the first one
     */
    record BriefingDraft(@Nullable String words, @Nullable Instant updatedAt) {}

    @Transactional
    public Briefing replace(Caller caller, String project, String words, ExpectedVersion expected) {
        projects.get(caller, project);
        Optional<Briefing> last = find(caller, project);
        return last.isEmpty() ? first(caller, project, words, expected) : change(caller, last.get(), words, expected);
    }

    private Briefing first(Caller caller, String project, String words, ExpectedVersion expected) {
        Briefing made = new Briefing(project, words, Instant.ofEpochMilli(clock.millis()));
        int inserted = expected.isStated() ? 0 : write(INSERT, caller, made).update();
        if (inserted == 0) {
            throw new VersionMismatch("Version conflict: the briefing was made or removed meanwhile. Read it again.");
        }
        return changed(caller, made);
    }

    // region updated-at
    private Briefing change(Caller caller, Briefing last, String words, ExpectedVersion expected) {
        if (!expected.isStated()) {
            throw Refusal.invalid(
                    "request.invalid", "The field updated_at is missing: read the briefing, and send it.");
        }
        expected.demand(last.updatedAt());
        // Also when the clock goes back, or two changes fall into one millisecond.
        long next = Math.max(clock.millis(), last.updatedAt().toEpochMilli() + 1);
        Briefing now = new Briefing(last.project(), words, Instant.ofEpochMilli(next));
        int changed = write(UPDATE, caller, now)
                .param("last", last.updatedAt().toEpochMilli())
                .update();
        if (changed == 0) {
            expected.demand(get(caller, last.project()).updatedAt());
        }
        return changed(caller, now);
    }
    // endregion

    private JdbcClient.StatementSpec write(String sql, Caller caller, Briefing briefing) {
        return jdbc.sql(sql)
                .param("organisation", caller.organisation())
                .param("project", briefing.project())
                .param("words", briefing.words())
                .param("next", briefing.updatedAt().toEpochMilli());
    }

    private Briefing changed(Caller caller, Briefing briefing) {
        String resource = "briefing/" + briefing.project();
        trail.wrote(caller, "briefing.changed", resource, briefing.updatedAt().toEpochMilli());
        return briefing;
    }

    Briefing get(Caller caller, String project) {
        return find(caller, project).orElseThrow(() -> Refusal.notFound("briefing"));
    }

    private Optional<Briefing> find(Caller caller, String project) {
        return jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("project", project)
                .query((row, number) ->
                        new Briefing(project, row.getString("words"), Instant.ofEpochMilli(row.getLong("updated_at"))))
                .optional();
    }
}
