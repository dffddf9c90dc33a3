package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** While the ledger fails nothing is run, and the same key works once it is back. */
class StorageFailureTest {
    private static final String BODY = "{\"name\":\"Orbit\"}";

    @ParameterizedTest
    @EnumSource
    void unavailableLedgerRejectsTheRequestForARetry(Engine engine) {
        try (Planner planner = Planner.start(engine.fresh().jdbc())) {
            JdbcClient jdbc = planner.jdbc();
            Person ada = Organisation.found(planner).ada();
            String key = freshKey();
            jdbc.sql("ALTER TABLE semel_record RENAME TO semel_record_away").update();
            PlannerResponse refused = ada.post("/v1/projects", key, BODY);
            assertThat(refused).matches(heard -> heard.is(503, "idempotency.store_unavailable"));
            assertThat(refused.header("Retry-After")).isNotEmpty();
            assertThat(ada.get("/v1/projects").json().size()).isZero();
            jdbc.sql("ALTER TABLE semel_record_away RENAME TO semel_record").update();
            assertThat(ada.post("/v1/projects", key, BODY))
                    .matches(heard -> heard.status() == 201 && !heard.isReplay());
            assertThat(ada.post("/v1/projects", key, BODY)).matches(PlannerResponse::isReplay);
            assertThat(ada.get("/v1/projects").json().size()).isEqualTo(1);
        }
    }

    @Test
    void unavailableDatabaseRunsNothingAndTheKeyWorksAfterwards() {
        try (PrivatePostgres server = PrivatePostgres.start();
                Planner planner = Planner.start(
                        Engine.server(server).jdbc(), "spring.datasource.hikari.connection-timeout=5000")) {
            Person ada = Organisation.found(planner).ada();
            String key = freshKey();
            assertThat(ada.post("/v1/projects", freshKey(), BODY).status()).isEqualTo(201);
            server.kill();
            PlannerResponse refused = ada.post("/v1/projects", key, BODY);
            assertThat(refused).matches(heard -> heard.is(503, "idempotency.store_unavailable"));
            assertThat(refused.header("Retry-After")).isNotEmpty();
            server.restart();
            Await.until(
                    "the same request is done",
                    () -> ada.post("/v1/projects", key, BODY).status() == 201);
            assertThat(ada.post("/v1/projects", key, BODY)).matches(PlannerResponse::isReplay);
            assertThat(ada.get("/v1/projects").json().size()).isEqualTo(2);
        }
    }
}
