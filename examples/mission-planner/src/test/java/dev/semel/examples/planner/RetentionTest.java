package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.store.Row;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long an answer is kept, and what happens then. */
class RetentionTest {
    private static final String CREATE = "POST /v1/projects/{project}/missions";

    /** Between the commit and the look at the clock. */
    private static final Duration SLACK = Duration.ofMinutes(5);

    @ParameterizedTest
    @EnumSource
    void successIsKeptForADayAndARefusalForFourHours(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        assertThat(kept(engine, ada, missions, "{\"name\":\"Orbit\"}", 201))
                .isBetween(Duration.ofHours(24).minus(SLACK), Duration.ofHours(24));
        assertThat(kept(engine, ada, missions, "{}", 400))
                .isBetween(Duration.ofHours(4).minus(SLACK), Duration.ofHours(4));
    }

    private static Duration kept(Engine engine, Person who, String path, String body, int status) {
        String key = freshKey();
        assertThat(who.post(path, key, body).status()).isEqualTo(status);
        Row row = engine.planner().record(who, CREATE, key).orElseThrow();
        Instant now = Instant.now();
        return Duration.between(now, Instant.ofEpochMilli(row.status().at()));
    }

    @ParameterizedTest
    @EnumSource
    void keyWithAnExpiredRecordIsNewAgain(Engine engine) {
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String key = freshKey();
        PlannerResponse first = ada.post(missions, key, "{\"name\":\"Orbit\"}");
        expire(engine, ada, key);
        PlannerResponse second = ada.post(missions, key, "{\"name\":\"Land\"}");
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.isReplay()).isFalse();
        assertThat(second.text("id")).isNotEqualTo(first.text("id"));
        assertThat(ada.post(missions, key, "{\"name\":\"Land\"}")).matches(PlannerResponse::isReplay);
        assertThat(ada.get(missions).json().size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void onlyExpiredRecordsArePurged(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String missions = "/v1/projects/" + ada.newProject() + "/missions";
        String old = freshKey();
        String young = freshKey();
        ada.post(missions, old, "{\"name\":\"Orbit\"}");
        ada.post(missions, young, "{\"name\":\"Land\"}");
        expire(engine, ada, old);
        // A node that starts purges first of all, and then each hour.
        try (Semel other = Semel.open(engine.ledger())) {
            assertThat(other).isNotNull();
            Await.until(
                    "the expired record is gone",
                    () -> planner.count(
                                    "SELECT count(*) FROM semel_record WHERE tenant = ? AND at < 1000",
                                    ada.organisation())
                            == 0);
        }
        assertThat(planner.record(ada, CREATE, old)).isEmpty();
        assertThat(planner.record(ada, CREATE, young)).isPresent();
        assertThat(ada.post(missions, young, "{\"name\":\"Land\"}")).matches(PlannerResponse::isReplay);
    }

    private static void expire(Engine engine, Person who, String key) {
        engine.planner()
                .expire(engine.planner().record(who, CREATE, key).orElseThrow().id());
    }
}
