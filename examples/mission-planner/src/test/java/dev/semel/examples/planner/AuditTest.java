package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
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
            PlannerResponse made = Person.send(who.keyed("POST", "/v1/projects/" + project + "/missions", key, BODY)
                    .header("X-Request-ID", "request-" + time)
                    .header("X-Correlation-ID", "correlation-" + time));
            assertThat(made).matches(heard -> heard.status() == 201 && heard.isReplay() == time.equals("2"));
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

    private static final String[] FIELDS = {
        "id",
        "at",
        "organisation",
        "actor",
        "action",
        "resource",
        "version",
        "endpoint",
        "payload_hash",
        "request_id",
        "correlation_id"
    };

    @ParameterizedTest
    @EnumSource
    void changeIsOneEventWithEndpointPayloadHashVersionAndIds(Engine engine) {
        Person ada = engine.organisation().ada();
        Row row = madeTwice(ada, ada.newProject());
        JsonNode trail = ada.get("/v1/audit").json();
        assertThat(trail.size()).as("a project and a mission").isEqualTo(2);
        JsonNode newest = trail.path(0);
        assertThat(newest.propertyNames()).containsExactlyInAnyOrder(FIELDS);
        assertThat(newest.path("action").asString()).isEqualTo("mission.created");
        assertThat(newest.path("organisation").asString()).isEqualTo(ada.organisation());
        assertThat(newest.path("actor").asString()).isEqualTo("ada");
        assertThat(newest.path("version").asInt()).isEqualTo(1);
        assertThat(newest.path("endpoint").asString()).isEqualTo(CREATE);
        assertThat(newest.path("payload_hash").asString())
                .isEqualTo(row.header().fingerprint().toString());
        assertThat(newest.path("request_id").asString()).isEqualTo("request-1");
        assertThat(newest.path("correlation_id").asString()).isEqualTo("correlation-1");
    }

    @ParameterizedTest
    @EnumSource
    void replayIsShownBesideTheEventOfTheChangeAndRefersToIt(Engine engine) {
        Organisation home = engine.organisation();
        Person ada = home.ada();
        Row row = madeTwice(ada, ada.newProject());
        story(engine.planner(), row, 2);
        String first = ada.get("/v1/audit").json().path(0).path("id").asString();
        JsonNode together = ada.get("/v1/audit/" + first).json();
        assertThat(together.size()).as(together.toString()).isEqualTo(2);
        assertThat(together.path(0).path("id").asString()).isEqualTo(first);
        assertThat(together.path(0).has("first_event")).isFalse();
        JsonNode replay = together.path(1);
        assertThat(replay.propertyNames()).contains(FIELDS);
        assertThat(replay.path("action").asString()).isEqualTo("audit.replay");
        assertThat(replay.path("first_event").asString()).isEqualTo(first);
        assertThat(replay.path("first_request_id").asString()).isEqualTo("request-1");
        assertThat(replay.path("request_id").asString()).isEqualTo("request-2");
        for (String same : List.of("organisation", "actor", "endpoint", "payload_hash", "resource", "version")) {
            assertThat(replay.path(same)).as(same).isEqualTo(together.path(0).path(same));
        }
        assertThat(engine.organisation().ada().get("/v1/audit/" + first))
                .matches(heard -> heard.is(404, "event.not_found"));
    }

    /** The second life of a key whose record has expired: the same record id, but not the replays of the first life. */
    @ParameterizedTest
    @EnumSource
    void replaysOfAnExpiredRecordAreNotShownBesideTheChangeThatUsedItsKeyAgain(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String key = freshKey();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        ada.post(missions, key, BODY);
        ada.post(missions, key, BODY);
        Row row = planner.record(ada, CREATE, key).orElseThrow();
        story(planner, row, 2);
        planner.expire(row.id());
        assertThat(ada.post(missions, key, BODY)).matches(heard -> !heard.isReplay());
        JsonNode trail = ada.get("/v1/audit").json();
        assertThat(ada.get("/v1/audit/" + trail.path(0).path("id").asString())
                        .json()
                        .size())
                .isEqualTo(1);
        assertThat(ada.get("/v1/audit/" + trail.path(1).path("id").asString())
                        .json()
                        .size())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void jobAndItsEffectNameTheRequestAndThePersonThatCausedThem(Engine engine) {
        Planner planner = engine.planner();
        Organisation home = engine.organisation();
        Person ada = home.ada();
        String project = ada.newProject();
        PlannerResponse mission = sent(ada, "/v1/projects/" + project + "/missions", BODY);
        PlannerResponse assignment =
                sent(ada, "/v1/missions/" + mission.text("id") + "/assignments", "{\"person\":\"bob\"}");
        sent(ada, "/v1/announcements", "{\"words\":\"Hello.\"}");
        planner.settle(home.id());
        Tenant tenant = Tenant.of(home.id());
        String changed = "mission/" + mission.text("id") + "@1";
        String assigned = "assignment/" + assignment.text("id") + "@1";
        Map<Channel<?>, Key> jobs = Map.of(
                Jobs.SEARCH, Jobs.key(tenant, Jobs.SEARCH, changed),
                Jobs.DASHBOARD, Jobs.key(tenant, Jobs.DASHBOARD, project + "/" + assigned),
                Jobs.NOTIFICATIONS, Jobs.key(tenant, Jobs.NOTIFICATIONS, assigned),
                Jobs.ANNOUNCEMENTS, Jobs.hashKey(tenant, Jobs.ANNOUNCEMENTS, "Hello."));
        jobs.forEach((channel, key) -> {
            Row job = planner.operator().find(tenant, channel.name(), key).orElseThrow();
            assertThat(story(planner, job, 2))
                    .extracting(AuditEvent::type)
                    .startsWith("operation.queued")
                    .endsWith("operation.executed");
            assertThat(story(planner, job, 2))
                    .allSatisfy(event -> assertThat(event.fields())
                            .as(channel.name() + " " + event.type())
                            .containsEntry("request_id", "request-9")
                            .containsEntry("correlation_id", "correlation-9")
                            .containsEntry("actor", "ada")
                            .containsEntry("actor_type", "user")
                            .containsEntry("source", "http"));
            if (channel != Jobs.ANNOUNCEMENTS) {
                assertThat(story(planner, job, 2))
                        .allSatisfy(event -> assertThat(event.fields()).containsEntry("aggregate_version", 1L));
            }
        });
        for (String table : List.of("search_entry", "dashboard", "notification")) {
            List<Map<String, Object>> rows = planner.jdbc()
                    .sql("SELECT actor, request_id FROM " + table + " WHERE organisation = ?")
                    .param(home.id())
                    .query()
                    .listOfRows();
            assertThat(rows)
                    .as(table)
                    .isNotEmpty()
                    .allSatisfy(row ->
                            assertThat(row).containsEntry("actor", "ada").containsEntry("request_id", "request-9"));
        }
    }

    private static PlannerResponse sent(Person who, String path, String body) {
        return Person.send(who.keyed("POST", path, freshKey(), body)
                .header("X-Request-ID", "request-9")
                .header("X-Correlation-ID", "correlation-9"));
    }
}
