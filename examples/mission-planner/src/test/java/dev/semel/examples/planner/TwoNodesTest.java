package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes on one database, both alive. */
class TwoNodesTest {
    private static final int AT_ONCE = 16;
    private static final int MOST = 200;

    @ParameterizedTest
    @EnumSource
    void sameKeyAtBothNodesAtOnceRunsOnceAndEachJobIsDoneByOneNode(Engine engine) {
        Planner one = engine.planner();
        try (Planner two = engine.anotherNode()) {
            Person here = engine.organisation().ada();
            Person there = here.at(two);
            String project = here.newProject();
            for (int round = 0; round < 5; round++) {
                sameKeyRunsOnce(here, there, "/v1/projects/" + project + "/missions");
            }
            assertThat(here.get("/v1/projects/" + project + "/missions").json().size())
                    .isEqualTo(5);
            eachJobIsDoneByOneNode(one.notifier(), two.notifier(), here, there, here.newMission(project));
        }
    }

    private static void sameKeyRunsOnce(Person here, Person there, String missions) {
        String key = freshKey();
        String body = "{\"name\":\"Orbit\"}";
        List<CompletableFuture<PlannerResponse>> asked = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            asked.add(Person.sending((i % 2 == 0 ? here : there).keyed("POST", missions, key, body)));
        }
        List<PlannerResponse> answers =
                asked.stream().map(CompletableFuture::join).toList();
        assertThat(answers)
                .filteredOn(heard -> heard.status() == 201 && !heard.isReplay())
                .as("runs")
                .hasSize(1);
        assertThat(answers)
                .allMatch(heard -> heard.status() == 201 || heard.is(409, "idempotency.in_progress"), "one outcome");
        String id = answers.stream()
                .filter(heard -> heard.status() == 201)
                .findFirst()
                .orElseThrow()
                .text("id");
        for (Person each : List.of(here, there)) {
            assertThat(each.post(missions, key, body))
                    .matches(PlannerResponse::isReplay)
                    .matches(heard -> heard.text("id").equals(id));
        }
    }

    private static void eachJobIsDoneByOneNode(
            ScriptedNotifier one, ScriptedNotifier two, Person here, Person there, String mission) {
        String home = here.organisation();
        int sent = 0;
        while (sent < AT_ONCE
                || one.deliveries(home).isEmpty()
                || two.deliveries(home).isEmpty()) {
            assertThat(sent).as("jobs until both nodes have done one").isLessThan(MOST);
            (sent % 2 == 0 ? here : there).newAssignment(mission, "bob");
            sent++;
        }
        here.planner().settle(home);
        int jobs = sent;
        Await.until(
                "bob is told of each",
                () -> here.planner().count("SELECT count(*) FROM notification WHERE organisation = ?", home) == jobs);
        List<String> done = Stream.concat(one.deliveries(home).stream(), two.deliveries(home).stream())
                .toList();
        assertThat(done).hasSize(jobs).doesNotHaveDuplicates();
    }
}
