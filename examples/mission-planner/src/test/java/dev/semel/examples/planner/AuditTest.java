package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.store.Row;
import dev.semel.testkit.Await;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Who did what, by which request, and what was sent because of it. */
class AuditTest {
    private static final String CREATE = "POST /v1/projects/{project}/missions";
    private static final String BODY = "{\"name\":\"Orbit\"}";

    /** A mission that was made twice under one key, with ids of its own each time. */
    private static Row madeTwice(Person who, String project) {
        String key = freshKey();
        for (String time : List.of("1", "2")) {
            Person.send(who.keyed("POST", "/v1/projects/" + project + "/missions", key, BODY)
                    .header("X-Request-ID", "request-" + time)
                    .header("X-Correlation-ID", "correlation-" + time));
        }
        return who.planner().record(who, CREATE, key).orElseThrow();
    }

    private static List<AuditEvent> story(Planner planner, Row row, int events) {
        Await.until(
                events + " events", () -> planner.operator().story(row.id(), 10).size() >= events);
        return planner.operator().story(row.id(), 10);
    }

    @ParameterizedTest
    @EnumSource
    void firstRunIsAuditedInFullAndAReplayOnlyRefersToIt(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        Row row = madeTwice(ada, ada.newProject());
        List<AuditEvent> story = story(planner, row, 2);
        assertThat(story).extracting(AuditEvent::type).containsExactly("operation.executed", "operation.replayed");
        assertThat(story.get(0).fields())
                .containsEntry("tenant", ada.organisation())
                .containsEntry("actor", "ada")
                .containsEntry("operation", CREATE)
                .containsEntry("correlation_id", "correlation-1")
                .containsEntry("request_id", "request-1")
                .containsKey("fingerprint");
        assertThat(story.get(1).fields())
                .containsEntry("record", row.id().hex())
                .containsEntry("tenant", ada.organisation());
    }

    @ParameterizedTest
    @EnumSource
    void messagesOfAWriteAreAuditedUnderItsCorrelationId(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        madeTwice(ada, project);
        String mission = ada.get("/v1/projects/" + project + "/missions")
                .json()
                .path(0)
                .path("id")
                .asString();
        String cause = "mission/" + mission + "@1";
        Map<Channel<?>, String> sent = Map.of(Jobs.SEARCH, cause, Jobs.DASHBOARD, project + "/" + cause);
        sent.forEach((channel, resource) -> {
            Tenant tenant = Tenant.of(ada.organisation());
            Row job = planner.operator()
                    .find(tenant, channel.name(), Jobs.key(tenant, channel, resource))
                    .orElseThrow();
            AuditEvent queued = story(planner, job, 1).get(0);
            assertThat(queued.type()).isEqualTo("operation.queued");
            assertThat(queued.fields())
                    .containsEntry("tenant", ada.organisation())
                    .containsEntry("actor", "ada")
                    .containsEntry("operation", channel.name())
                    .containsEntry("correlation_id", "correlation-1")
                    .containsKey("fingerprint");
        });
    }

    @ParameterizedTest
    @EnumSource
    void trailShowsEachChangeOnceWithItsVersionAndIds(Engine engine) {
        Person ada = engine.organisation().ada();
        madeTwice(ada, ada.newProject());
        JsonNode trail = ada.get("/v1/audit").json();
        assertThat(trail.size()).as("a project and a mission").isEqualTo(2);
        JsonNode newest = trail.path(0);
        assertThat(newest.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "at",
                        "organisation",
                        "actor",
                        "action",
                        "resource",
                        "version",
                        "request_id",
                        "correlation_id");
        assertThat(newest.path("action").asString()).isEqualTo("mission.created");
        assertThat(newest.path("organisation").asString()).isEqualTo(ada.organisation());
        assertThat(newest.path("actor").asString()).isEqualTo("ada");
        assertThat(newest.path("version").asInt()).isEqualTo(1);
        assertThat(newest.path("request_id").asString()).isEqualTo("request-1");
        assertThat(newest.path("correlation_id").asString()).isEqualTo("correlation-1");
    }
}
