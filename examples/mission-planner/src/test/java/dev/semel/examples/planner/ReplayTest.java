package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the second request with a key is told, and what it leaves behind. */
class ReplayTest {
    @ParameterizedTest
    @EnumSource
    void retriedPostGetsTheFirstResponse(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        PlannerResponse first = ada.post(missions, key, "{\"name\":\"Orbit\"}");
        PlannerResponse second = ada.post(missions, key, "{\"name\":\"Orbit\"}");
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.isReplay()).isFalse();
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.isReplay()).isTrue();
        assertThat(second.body()).isEqualTo(first.body());
        for (String header : List.of("Content-Type", "ETag", "Location", "X-Correlation-ID")) {
            assertThat(second.header(header)).as(header).isNotEmpty().isEqualTo(first.header(header));
        }
        assertThat(second.header("X-Request-ID")).isNotEqualTo(first.header("X-Request-ID"));
        assertThat(ada.get(missions).json().size()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfWriteIsReplayed(Engine engine) {
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        String mission = "/v1/missions/" + ada.newMission(project);
        replayed(ada, "PUT", "/v1/projects/" + project, "{\"name\":\"Gemini\",\"version\":1}", 200);
        replayed(ada, "PUT", mission, "{\"name\":\"Dock\",\"status\":\"ACTIVE\",\"version\":1}", 200);
        replayed(ada, "PATCH", mission, "{\"status\":\"DONE\",\"version\":2}", 200);
        assertThat(ada.get(mission).number("version")).isEqualTo(3);
        replayed(ada, "DELETE", mission + "?version=3", "", 204);
        assertThat(ada.get(mission).status()).isEqualTo(404);
    }

    private static void replayed(Person who, String method, String path, String body, int status) {
        String key = freshKey();
        PlannerResponse first = who.write(method, path, key, body);
        PlannerResponse second = who.write(method, path, key, body);
        assertThat(first).matches(heard -> heard.status() == status && !heard.isReplay());
        assertThat(second).matches(heard -> heard.status() == status && heard.isReplay());
        assertThat(second.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @EnumSource
    void differentlyFormattedPayloadIsTheSamePayload(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        ada.post(missions, key, "{\"name\":\"Orbit\",\"status\":\"PLANNED\"}");
        assertThat(ada.post(missions, key, "{ \"status\": \"PLANNED\",\n  \"name\": \"Orbit\" }"))
                .matches(PlannerResponse::isReplay);
    }

    @ParameterizedTest
    @EnumSource
    void rejectionIsReplayed(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        PlannerResponse first = ada.post(missions, key, "{\"name\":\" \"}");
        PlannerResponse second = ada.post(missions, key, "{\"name\":\" \"}");
        assertThat(first).matches(heard -> heard.is(400, "request.invalid") && !heard.isReplay());
        assertThat(first.text("correlation_id")).isEqualTo(first.header("X-Correlation-ID"));
        assertThat(second).matches(heard -> heard.is(400, "request.invalid") && heard.isReplay());
        assertThat(second.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @EnumSource
    void replayLeavesNoSecondAuditRecordAndSendsNothing(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        ada.post(missions, key, "{\"name\":\"Orbit\"}");
        String audits = "SELECT count(*) FROM audit_event WHERE organisation = ?";
        long audited = planner.count(audits, ada.organisation());
        long records = planner.records(ada.organisation());
        for (int i = 0; i < 3; i++) {
            assertThat(ada.post(missions, key, "{\"name\":\"Orbit\"}")).matches(PlannerResponse::isReplay);
        }
        assertThat(planner.count(audits, ada.organisation())).isEqualTo(audited);
        assertThat(planner.records(ada.organisation())).isEqualTo(records);
    }
}
