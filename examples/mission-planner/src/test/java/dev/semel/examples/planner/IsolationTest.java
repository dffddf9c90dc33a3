package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Message;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.examples.planner.access.Tokens;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.testkit.Await;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;

/** Nothing of one organisation is seen, guessed or touched by another. */
class IsolationTest {
    private static final String BODY = "{\"name\":\"Orbit\"}";

    @ParameterizedTest
    @EnumSource
    void sameKeyOfTwoOrganisationsIsTwoKeys(Engine engine) {
        Person ours = engine.organisation().ada();
        Person theirs = engine.organisation().ada();
        String key = freshKey();
        PlannerResponse first = ours.post("/v1/projects", key, BODY);
        PlannerResponse second = theirs.post("/v1/projects", key, "{\"name\":\"Something else\"}");
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.isReplay()).isFalse();
        assertThat(second.text("id")).isNotEqualTo(first.text("id"));
        assertThat(ours.post("/v1/projects", key, BODY)).matches(PlannerResponse::isReplay);
    }

    @ParameterizedTest
    @EnumSource
    void dataOfAnotherOrganisationIsNotFound(Engine engine) {
        Person ours = engine.organisation().ada();
        String project = ours.newProject();
        String mission = ours.newMission(project);
        String assignment = ours.newAssignment(mission, "bob");
        Person theirs = engine.organisation().ada();
        String unknown = "00000000-0000-0000-0000-000000000000";
        for (String[] pair : new String[][] {
            {"/v1/projects/%s", project}, {"/v1/missions/%s", mission}, {"/v1/assignments/%s", assignment}
        }) {
            PlannerResponse foreign = theirs.get(pair[0].formatted(pair[1]));
            assertThat(foreign.status()).isEqualTo(404);
            assertThat(foreign.text("code"))
                    .isEqualTo(theirs.get(pair[0].formatted(unknown)).text("code"));
        }
        assertThat(theirs.get("/v1/projects").json().size()).isZero();
        assertThat(theirs.get("/v1/audit").json().size()).isZero();
        List<PlannerResponse> writes = List.of(
                theirs.post("/v1/projects/" + project + "/missions", freshKey(), BODY),
                theirs.write("PUT", "/v1/projects/" + project, freshKey(), "{\"name\":\"Mine\",\"version\":1}"),
                theirs.write("PATCH", "/v1/missions/" + mission, freshKey(), "{\"name\":\"Mine\",\"version\":1}"),
                theirs.write("DELETE", "/v1/missions/" + mission + "?version=1", freshKey(), ""),
                theirs.post(
                        "/v1/assignments/" + assignment + "/move",
                        freshKey(),
                        "{\"mission\":\"" + mission + "\",\"version\":1}"),
                theirs.write("DELETE", "/v1/assignments/" + assignment + "?version=1", freshKey(), ""));
        assertThat(writes).allMatch(heard -> heard.status() == 404);
        assertThat(ours.get("/v1/missions/" + mission).number("version")).isEqualTo(1);
        assertThat(ours.get("/v1/assignments/" + assignment).number("version")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void moveToAMissionOfAnotherOrganisationIsRejected(Engine engine) {
        Person ours = engine.organisation().ada();
        Person theirs = engine.organisation().ada();
        String assignment = ours.newAssignment(ours.newMission(ours.newProject()), "bob");
        String foreign = theirs.newMission(theirs.newProject());
        assertThat(ours.post(
                                "/v1/assignments/" + assignment + "/move",
                                freshKey(),
                                "{\"mission\":\"" + foreign + "\",\"version\":1}")
                        .status())
                .isEqualTo(404);
        assertThatThrownBy(() -> engine.planner()
                        .jdbc()
                        .sql("UPDATE assignment SET mission = ? WHERE organisation = ? AND id = ?")
                        .params(foreign, ours.organisation(), assignment)
                        .update())
                .as("the schema does not let it happen either")
                .isInstanceOf(DataAccessException.class);
    }

    @ParameterizedTest
    @EnumSource
    void headersThatClaimAnotherIdentityAreIgnored(Engine engine) {
        Person ours = engine.organisation().ada();
        Person theirs = engine.organisation().bob();
        String key = freshKey();
        HttpRequest.Builder forged = ours.keyed("POST", "/v1/projects", key, BODY);
        for (String header : List.of("X-Organisation", "X-Org-ID", "X-Tenant-ID", "X-Tenant")) {
            forged.header(header, theirs.organisation());
        }
        forged.header("X-User", theirs.name()).header("X-Forwarded-User", theirs.name());
        assertThat(Person.send(forged).status()).isEqualTo(201);
        assertThat(theirs.get("/v1/projects").json().size()).isZero();
        assertThat(ours.get("/v1/projects").json().size()).isEqualTo(1);
        assertThat(ours.get("/v1/audit").json().path(0).path("actor").asString())
                .isEqualTo("ada");
        assertThat(engine.planner().records(theirs.organisation())).isZero();
        assertThat(ours.post("/v1/projects", key, BODY)).matches(PlannerResponse::isReplay);
    }

    @ParameterizedTest
    @EnumSource
    void unauthenticatedRequestIsRejectedAndLeavesNoRecord(Engine engine) {
        Person ada = engine.organisation().ada();
        String key = freshKey();
        Person unknown = new Person(ada.planner(), ada.organisation(), "ada", "guessed");
        long before = engine.planner().records(ada.organisation());
        assertThat(unknown.post("/v1/projects", key, BODY))
                .matches(heard -> heard.is(401, "request.unauthenticated"))
                .matches(heard -> heard.header("WWW-Authenticate").equals("Bearer"));
        assertThat(unknown.get("/v1/projects").status()).isEqualTo(401);
        assertThat(engine.planner().records(ada.organisation())).isEqualTo(before);
        assertThat(ada.post("/v1/projects", key, BODY)).matches(heard -> heard.status() == 201 && !heard.isReplay());
    }

    @ParameterizedTest
    @EnumSource
    void callerWithoutTokenOrRightGetsNoReplay(Engine engine) {
        Person ada = engine.organisation().ada();
        String key = freshKey();
        ada.post("/v1/projects", key, BODY);
        change(ada, "UPDATE access_token SET role = 'READER' WHERE hash = ?");
        assertThat(ada.post("/v1/projects", key, BODY)).matches(heard -> heard.is(403, "request.forbidden"));
        assertThat(ada.get("/v1/projects").status()).isEqualTo(200);
        change(ada, "UPDATE access_token SET revoked = 1 WHERE hash = ?");
        assertThat(ada.post("/v1/projects", key, BODY)).matches(heard -> heard.is(401, "request.unauthenticated"));
        assertThat(ada.get("/v1/projects").status()).isEqualTo(401);
    }

    private static void change(Person who, String sql) {
        who.planner().jdbc().sql(sql).param(Tokens.hash(who.token())).update();
    }

    @ParameterizedTest
    @EnumSource
    void rejectedWriteOfAReaderLeavesNoRecord(Engine engine) {
        Organisation home = engine.organisation();
        assertThat(home.reader().post("/v1/projects", freshKey(), BODY))
                .matches(heard -> heard.is(403, "request.forbidden"));
        assertThat(engine.planner().records(home.id())).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void sameJobOfTwoOrganisationsIsTwoJobs(Engine engine) {
        Organisation ours = engine.organisation();
        Organisation theirs = engine.organisation();
        Jobs.TellPerson payload = new Jobs.TellPerson("ada", "Hello.", new Jobs.RequestedBy("ada", null));
        for (Organisation each : List.of(ours, theirs)) {
            Tenant tenant = Tenant.of(each.id());
            Sent.Accepted sent = engine.planner()
                    .semel()
                    .send(
                            Jobs.NOTIFICATIONS,
                            Message.of(tenant, Jobs.key(tenant, Jobs.NOTIFICATIONS, "mission/7@1"), payload))
                    .orThrow();
            assertThat(sent.first()).isTrue();
        }
        for (Organisation each : List.of(ours, theirs)) {
            Person ada = each.ada();
            Await.until(
                    "ada of each is told",
                    () -> ada.get("/v1/notifications").json().size() == 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rejectionRevealsNothingOfTheFirstRequest(Engine engine) {
        Person ada = engine.organisation().ada();
        String key = freshKey();
        ada.post("/v1/projects", key, "{\"name\":\"Confidential\"}");
        PlannerResponse mismatch = ada.post("/v1/projects", key, "{\"name\":\"Guess\"}");
        assertThat(mismatch.toString())
                .contains("idempotency.payload_mismatch")
                .doesNotContain("Confidential", key)
                .doesNotContainPattern("[0-9a-f]{64}");
    }
}
