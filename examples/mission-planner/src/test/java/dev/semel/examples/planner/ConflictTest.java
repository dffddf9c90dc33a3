package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which two writes can be at odds: who is refused, with which code, and what the client does then. */
class ConflictTest {

    @ParameterizedTest
    @EnumSource
    void missionUnderAKeyOfAnotherPayloadIsRejected(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        assertThat(ada.post(missions, key, "{\"name\":\"Orbit\"}").status()).isEqualTo(201);

        PlannerResponse second = ada.post(missions, key, "{\"name\":\"Land\"}");
        assertThat(second).matches(heard -> heard.is(409, "idempotency.payload_mismatch"));
        assertThat(ada.get(missions).json().size()).isEqualTo(1);

        assertThat(ada.post(missions, freshKey(), "{\"name\":\"Land\"}").status())
                .isEqualTo(201);
        assertThat(ada.get(missions).json().size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void sameKeyForAnotherProjectIsAnotherPayload(Engine engine) {
        Person ada = engine.organisation().ada();
        String key = freshKey();
        String body = "{\"name\":\"Orbit\"}";
        ada.post("/v1/projects/" + ada.newProject() + "/missions", key, body);
        String other = "/v1/projects/" + ada.newProject() + "/missions";
        assertThat(ada.post(other, key, body)).matches(heard -> heard.is(409, "idempotency.payload_mismatch"));
        assertThat(ada.get(other).json().size()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void moveOfAnOutdatedAssignmentVersionIsRejected(Engine engine) {
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        String assignment = ada.newAssignment(ada.newMission(project), "bob");
        String move = "/v1/assignments/" + assignment + "/move";
        String first = ada.newMission(project);
        assertThat(ada.post(move, freshKey(), moveTo(first, 1)).status()).isEqualTo(200);

        String second = ada.newMission(project);
        String key = freshKey();
        PlannerResponse stale = ada.post(move, key, moveTo(second, 1));
        assertThat(stale).matches(heard -> heard.is(409, "concurrency.version_mismatch"));
        assertThat(ada.post(move, key, moveTo(second, 1)))
                .matches(heard -> heard.is(409, "concurrency.version_mismatch"))
                .matches(PlannerResponse::isReplay);

        PlannerResponse now = ada.get("/v1/assignments/" + assignment);
        assertThat(now.text("mission")).isEqualTo(first);
        PlannerResponse again = ada.post(move, freshKey(), moveTo(second, now.number("version")));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text("mission")).isEqualTo(second);
        assertThat(again.number("version")).isEqualTo(3);
    }

    private static String moveTo(String mission, long version) {
        return "{\"mission\":\"" + mission + "\",\"version\":" + version + "}";
    }

    @ParameterizedTest
    @EnumSource
    void oneOfSeveralConcurrentMissionUpdatesWins(Engine engine) {
        Person ada = engine.organisation().ada();
        String mission = "/v1/missions/" + ada.newMission(ada.newProject());
        List<CompletableFuture<PlannerResponse>> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            asked.add(Person.sending(
                    ada.keyed("PATCH", mission, freshKey(), "{\"name\":\"Number " + i + "\",\"version\":1}")));
        }
        List<PlannerResponse> answers =
                asked.stream().map(CompletableFuture::join).toList();
        List<PlannerResponse> won =
                answers.stream().filter(heard -> heard.status() == 200).toList();
        assertThat(won).hasSize(1);
        assertThat(answers)
                .filteredOn(heard -> heard.status() != 200)
                .hasSize(7)
                .allMatch(heard -> heard.is(409, "concurrency.version_mismatch"));

        PlannerResponse now = ada.get(mission);
        assertThat(now.text("name")).isEqualTo(won.get(0).text("name"));
        assertThat(now.number("version")).isEqualTo(2);
        PlannerResponse retried = ada.write("PATCH", mission, freshKey(), "{\"status\":\"ACTIVE\",\"version\":2}");
        assertThat(retried.status()).isEqualTo(200);
        assertThat(retried.text("name")).isEqualTo(now.text("name"));
        assertThat(retried.text("status")).isEqualTo("ACTIVE");
    }

    @ParameterizedTest
    @EnumSource
    void everyChangeNeedsAnExpectedVersion(Engine engine) {
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        String mission = ada.newMission(project);
        String assignment = ada.newAssignment(mission, "bob");
        List<PlannerResponse> without = List.of(
                ada.write("PUT", "/v1/projects/" + project, freshKey(), "{\"name\":\"Gemini\"}"),
                ada.write("PUT", "/v1/missions/" + mission, freshKey(), "{\"name\":\"Gemini\",\"status\":\"DONE\"}"),
                ada.write("PATCH", "/v1/missions/" + mission, freshKey(), "{\"name\":\"Gemini\"}"),
                ada.write("DELETE", "/v1/missions/" + mission, freshKey(), ""),
                ada.write(
                        "POST",
                        "/v1/assignments/" + assignment + "/move",
                        freshKey(),
                        "{\"mission\":\"" + mission + "\"}"),
                ada.write("DELETE", "/v1/assignments/" + assignment, freshKey(), ""));
        assertThat(without).allMatch(heard -> heard.is(400, "request.invalid"));
        List<PlannerResponse> stale = List.of(
                ada.write("PUT", "/v1/projects/" + project, freshKey(), "{\"name\":\"Gemini\",\"version\":7}"),
                ada.write(
                        "PUT",
                        "/v1/missions/" + mission,
                        freshKey(),
                        "{\"name\":\"Gemini\",\"status\":\"DONE\",\"version\":7}"),
                ada.write("DELETE", "/v1/missions/" + mission + "?version=7", freshKey(), ""),
                ada.write("DELETE", "/v1/assignments/" + assignment + "?version=7", freshKey(), ""));
        assertThat(stale).allMatch(heard -> heard.is(409, "concurrency.version_mismatch"));
        assertThat(ada.get("/v1/missions/" + mission).number("version")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void missionWithAssignmentsIsNotDeletedAlongWithThem(Engine engine) {
        Person ada = engine.organisation().ada();
        String mission = ada.newMission(ada.newProject());
        String assignment = ada.newAssignment(mission, "bob");
        String delete = "/v1/missions/" + mission + "?version=1";
        assertThat(ada.write("DELETE", delete, freshKey(), ""))
                .matches(heard -> heard.is(409, "mission.has_assignments"));
        assertThat(ada.write("DELETE", "/v1/assignments/" + assignment + "?version=1", freshKey(), "")
                        .status())
                .isEqualTo(204);
        assertThat(ada.write("DELETE", delete, freshKey(), "").status()).isEqualTo(204);
        assertThat(ada.get("/v1/missions/" + mission).status()).isEqualTo(404);
    }
}
