package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Policy;
import dev.semel.http.RetryingClient;
import dev.semel.policy.Catalogue;
import dev.semel.testkit.Await;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often, how soon and under which key a request is sent again; and what a route that keeps failing answers. */
class RetryTest {
    private static final String BODY = "{\"name\":\"Orbit\"}";

    /** Does something in place of waiting, and keeps how long it should have waited. */
    private static final class Pauses implements TimeSource {
        private final TimeSource system = TimeSource.system();
        private final Runnable meanwhile;
        private final List<Duration> slept = new ArrayList<>();

        Pauses(Runnable meanwhile) {
            this.meanwhile = meanwhile;
        }

        @Override
        public long millis() {
            return system.millis();
        }

        @Override
        public long nanos() {
            return system.nanos();
        }

        @Override
        public void sleep(Duration duration) {
            slept.add(duration);
            meanwhile.run();
        }

        @Override
        public Gate gate() {
            return system.gate();
        }
    }

    @Test
    void clientSendsFiveTimesAtMostAndWaitsFiveSecondsAtMost() {
        Policy client = Catalogue.shipped().get("http.client");
        assertThat(client.retry().maxAttempts()).isEqualTo(5);
        assertThat(client.retry().backoff())
                .isEqualTo(new Policy.Backoff.Exponential(Duration.ofMillis(300), 2, Duration.ofSeconds(5)));
    }

    @ParameterizedTest
    @EnumSource
    void requestIsRetriedUnderItsKeyAfterRetryAfter(Engine engine) throws IOException, InterruptedException {
        try (Planner planner = Planner.start(engine.fresh().jdbc())) {
            Person ada = Organisation.found(planner).ada();
            rename(planner, "semel_record", "semel_record_away");
            Pauses pauses = new Pauses(() -> rename(planner, "semel_record_away", "semel_record"));
            String key = freshKey();
            HttpResponse<byte[]> answer = RetryingClient.of(HttpClient.newHttpClient())
                    .withTime(pauses)
                    .send(
                            ada.keyed("POST", "/v1/projects", key, BODY).build(),
                            HttpResponse.BodyHandlers.ofByteArray());
            assertThat(answer.statusCode()).isEqualTo(201);
            assertThat(pauses.slept)
                    .singleElement()
                    .satisfies(pause -> assertThat(pause).isGreaterThanOrEqualTo(Duration.ofSeconds(1)));
            assertThat(ada.post("/v1/projects", key, BODY)).matches(PlannerResponse::isReplay);
            assertThat(ada.get("/v1/projects").json().size()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void permanentlyRejectedRequestIsNotRetried(Engine engine) throws IOException, InterruptedException {
        Person ada = engine.organisation().ada();
        String key = freshKey();
        ada.post("/v1/projects", key, BODY);
        String mission = "/v1/missions/" + ada.newMission(ada.newProject());
        Pauses pauses = new Pauses(() -> {});
        RetryingClient client = RetryingClient.of(HttpClient.newHttpClient()).withTime(pauses);
        List<Integer> statuses = new ArrayList<>();
        for (var request : List.of(
                ada.keyed("POST", "/v1/projects", freshKey(), "{}"),
                ada.keyed("POST", "/v1/projects/unknown/missions", freshKey(), BODY),
                ada.keyed("POST", "/v1/projects", key, "{\"name\":\"Land\"}"),
                ada.keyed("PATCH", mission, freshKey(), "{\"name\":\"Land\",\"version\":9}"))) {
            statuses.add(client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                    .statusCode());
        }
        assertThat(statuses).containsExactly(400, 404, 409, 409);
        assertThat(pauses.slept).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void breakerPausesAFailingRouteAndItsKeysStayUsable(Engine engine) {
        String database = engine.fresh().jdbc();
        String done = freshKey();
        String failed = freshKey();
        Person ada;
        try (Planner planner =
                Planner.start(database, "semel.http.expert.breaker.calls=4", "semel.http.expert.breaker.pause=1h")) {
            ada = Organisation.found(planner).ada();
            assertThat(ada.post("/v1/projects", done, BODY).status()).isEqualTo(201);
            // With its audit gone no write can be committed.
            rename(planner, "audit_event", "audit_event_away");
            assertThat(ada.post("/v1/projects", failed, BODY).status()).isEqualTo(500);
            assertThat(ada.post("/v1/projects", freshKey(), BODY).status()).isEqualTo(500);
            assertThat(ada.post("/v1/projects", freshKey(), BODY).status()).isEqualTo(500);
            rename(planner, "audit_event_away", "audit_event");

            long records = planner.records(ada.organisation());
            PlannerResponse refused = ada.post("/v1/projects", freshKey(), BODY);
            assertThat(refused).matches(heard -> heard.is(503, "operation.breaker_open"));
            assertThat(refused.header("Retry-After")).isNotEmpty();
            assertThat(ada.post("/v1/projects", failed, BODY).status()).isEqualTo(503);
            assertThat(ada.post("/v1/projects", done, BODY)).matches(PlannerResponse::isReplay);
            assertThat(planner.records(ada.organisation())).isEqualTo(records);
            assertThat(ada.get("/v1/projects").json().size()).isEqualTo(1);
        }
        // Breakers are a node's own: another node has not seen it fail.
        try (Planner other = Planner.start(database)) {
            Person again = ada.at(other);
            Await.until(
                    "the same request is done",
                    () -> again.post("/v1/projects", failed, BODY).status() == 201);
            assertThat(again.get("/v1/projects").json().size()).isEqualTo(2);
        }
    }

    private static void rename(Planner planner, String from, String to) {
        planner.jdbc().sql("ALTER TABLE " + from + " RENAME TO " + to).update();
    }
}
