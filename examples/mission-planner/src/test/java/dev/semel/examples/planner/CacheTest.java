package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.planner.effects.Jobs;
import dev.semel.operator.Operator;
import dev.semel.testkit.Await;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is cached is forgotten when a write is committed, and for no other reason. */
class CacheTest {

    @ParameterizedTest
    @EnumSource
    void writeInvalidatesTheCacheButReplayAndRejectionDoNot(Engine engine) throws InterruptedException {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        String missions = "/v1/projects/" + project + "/missions";
        String key = freshKey();
        String mission = ada.post(missions, key, "{\"name\":\"Orbit\"}").text("id");
        planner.settle(ada.organisation());
        assertThat(missionsShown(ada, project)).isEqualTo(1);

        // From here on the stored number is another than the cached one, and nothing recounts it.
        Operator.Warrant warrant = new Operator.Warrant("test", "to see the cache alone");
        planner.operator().pause(Jobs.DASHBOARD.name(), ada.organisation(), warrant);
        planner.operator().awaitModes();
        planner.jdbc()
                .sql("UPDATE dashboard SET missions = 99 WHERE organisation = ?")
                .param(ada.organisation())
                .update();

        assertThat(ada.post(missions, key, "{\"name\":\"Orbit\"}")).matches(PlannerResponse::isReplay);
        assertThat(missionsShown(ada, project)).as("after a replay").isEqualTo(1);
        assertThat(ada.post(missions, key, "{\"name\":\"Land\"}").status()).isEqualTo(409);
        assertThat(ada.post(missions, freshKey(), "{}").status()).isEqualTo(400);
        String change = "/v1/missions/" + mission;
        assertThat(ada.write("PATCH", change, freshKey(), "{\"name\":\"Land\",\"version\":9}")
                        .status())
                .isEqualTo(409);
        assertThat(missionsShown(ada, project)).as("after refusals").isEqualTo(1);

        assertThat(ada.write("PATCH", change, freshKey(), "{\"name\":\"Land\",\"version\":1}")
                        .status())
                .isEqualTo(200);
        assertThat(missionsShown(ada, project)).as("after a write").isEqualTo(99);

        planner.operator().resume(Jobs.DASHBOARD.name(), ada.organisation(), warrant);
        Await.until("it is counted again", () -> missionsShown(ada, project) == 1);
    }

    private static long missionsShown(Person who, String project) {
        return who.get("/v1/projects/" + project + "/dashboard").number("missions");
    }
}
