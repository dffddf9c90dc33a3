package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which requests need a key, and which never get as far as the ledger. */
class RequestTest {
    private static final String BODY = "{\"name\":\"Orbit\"}";

    @ParameterizedTest
    @EnumSource
    void writeWithoutAKeyIsRejected(Engine engine) {
        Person ada = engine.organisation().ada();
        String project = "/v1/projects/" + ada.newProject();
        String mission = "/v1/missions/" + ada.newMission(project.substring("/v1/projects/".length()));
        List<PlannerResponse> without = List.of(
                Person.send(ada.request("POST", "/v1/projects", BODY)),
                Person.send(ada.request("POST", project + "/missions", BODY)),
                Person.send(ada.request("PUT", project, "{\"name\":\"X\",\"version\":1}")),
                Person.send(ada.request("PATCH", mission, "{\"name\":\"X\",\"version\":1}")),
                Person.send(ada.request("DELETE", mission + "?version=1", "")),
                Person.send(ada.request("POST", "/v1/projects?Idempotency-Key=" + freshKey(), BODY)));
        assertThat(without).allMatch(heard -> heard.is(400, "idempotency.key_required"));
        assertThat(ada.get("/v1/projects").json().size()).isEqualTo(1);
        assertThat(ada.get(mission).number("version")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void keyIsOneLineOfAtMost128VisibleCharacters(Engine engine) {
        Person ada = engine.organisation().ada();
        assertThat(ada.post("/v1/projects", "k".repeat(129), BODY))
                .matches(heard -> heard.is(400, "idempotency.key_invalid"));
        assertThat(ada.post("/v1/projects", "two words", BODY))
                .matches(heard -> heard.is(400, "idempotency.key_invalid"));
        assertThat(Person.send(
                        ada.keyed("POST", "/v1/projects", freshKey(), BODY).header("Idempotency-Key", freshKey())))
                .matches(heard -> heard.is(400, "idempotency.key_invalid"));
        assertThat(ada.post("/v1/projects", "k".repeat(128), BODY).status()).isEqualTo(201);
        assertThat(engine.planner().records(ada.organisation())).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void readsDoNotUseTheLedgerOrItsAudit(Engine engine) {
        Planner planner = engine.planner();
        Person ada = engine.organisation().ada();
        String project = ada.newProject();
        String mission = ada.newMission(project);
        String assignment = ada.newAssignment(mission, "bob");
        planner.settle(ada.organisation());
        String audited = "SELECT count(*) FROM semel_audit WHERE tenant = ?";
        long records = planner.records(ada.organisation());
        long events = planner.count(audited, ada.organisation());
        for (String path : List.of(
                "/v1/projects",
                "/v1/projects/" + project,
                "/v1/projects/" + project + "/missions",
                "/v1/projects/" + project + "/dashboard",
                "/v1/missions/" + mission,
                "/v1/missions/" + mission + "/assignments",
                "/v1/assignments/" + assignment,
                "/v1/search?words=land",
                "/v1/notifications",
                "/v1/dead-letters",
                "/v1/audit")) {
            for (String key : List.of("one", "not valid as a key")) {
                assertThat(Person.send(ada.request("GET", path, "").header("Idempotency-Key", key)))
                        .as(path)
                        .matches(heard -> heard.status() == 200 && !heard.isReplay());
            }
        }
        assertThat(planner.records(ada.organisation())).isEqualTo(records);
        assertThat(planner.count(audited, ada.organisation())).isEqualTo(events);
    }

    @ParameterizedTest
    @EnumSource
    void requestOverTheRateLimitIsRejectedBeforeAnythingIsStored(Engine engine) {
        Organisation home = engine.organisation();
        Person hasty = home.person("hasty", "PLANNER", 2);
        String key = freshKey();
        assertThat(hasty.post("/v1/projects", freshKey(), BODY).status()).isEqualTo(201);
        assertThat(hasty.post("/v1/projects", freshKey(), BODY).status()).isEqualTo(201);
        long records = engine.planner().records(home.id());
        PlannerResponse third = hasty.post("/v1/projects", key, BODY);
        assertThat(third).matches(heard -> heard.is(429, "request.rate_limited"));
        assertThat(Integer.parseInt(third.header("Retry-After"))).isBetween(1, 60);
        assertThat(engine.planner().records(home.id())).isEqualTo(records);
        assertThat(hasty.get("/v1/projects").json().size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void requestIdsAreAcceptedOrGenerated(Engine engine) {
        Person ada = engine.organisation().ada();
        PlannerResponse given = Person.send(ada.keyed("POST", "/v1/projects", freshKey(), BODY)
                .header("X-Request-ID", "r-1")
                .header("X-Correlation-ID", "c-1"));
        assertThat(given.header("X-Request-ID")).isEqualTo("r-1");
        assertThat(given.header("X-Correlation-ID")).isEqualTo("c-1");
        PlannerResponse made = ada.post("/v1/projects", freshKey(), BODY);
        assertThat(made.header("X-Request-ID")).isNotEmpty();
        assertThat(made.header("X-Correlation-ID")).isNotEmpty();
    }
}
