package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.http.RetryingClient;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** A feature that is disabled for an organisation: the caller is told, it is audited, and nothing else happens. */
class FeatureTest {
    private static final String BODY = "{\"words\":\"Launch at nine.\"}";

    private static void disable(Organisation home) {
        home.planner()
                .jdbc()
                .sql("INSERT INTO disabled_feature (organisation, name) VALUES (?, 'announcements')")
                .param(home.id())
                .update();
    }

    private static void enable(Organisation home) {
        home.planner()
                .jdbc()
                .sql("DELETE FROM disabled_feature WHERE organisation = ?")
                .param(home.id())
                .update();
    }

    @ParameterizedTest
    @EnumSource
    void requestForADisabledFeatureIsRejectedAndAuditedAndItsKeyWorksOnceItIsEnabled(Engine engine)
            throws IOException, InterruptedException {
        Organisation home = engine.organisation();
        Person ada = home.ada();
        disable(home);
        String key = freshKey();
        // A client that retries what can be retried sends this once.
        HttpResponse<byte[]> answer = RetryingClient.of(HttpClient.newHttpClient())
                .send(
                        ada.keyed("POST", "/v1/announcements", key, BODY)
                                .header("X-Request-ID", "request-3")
                                .header("X-Correlation-ID", "correlation-3")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        PlannerResponse rejected = PlannerResponse.of(answer);
        assertThat(rejected).matches(heard -> heard.is(403, "feature.disabled"));
        assertThat(rejected.text("category")).isEqualTo("disabled");
        assertThat(rejected.text("correlation_id")).isEqualTo("correlation-3");
        assertThat(rejected.header("X-Request-ID")).isEqualTo("request-3");
        assertThat(engine.planner().records(home.id())).isZero();

        JsonNode events = ada.get("/v1/audit").json();
        assertThat(events.size()).isEqualTo(1);
        JsonNode event = events.path(0);
        assertThat(event.path("action").asString()).isEqualTo("request.rejected");
        assertThat(event.path("category").asString()).isEqualTo("disabled");
        assertThat(event.path("resource").asString()).isEqualTo("feature/announcements");
        assertThat(event.path("endpoint").asString()).isEqualTo("POST /v1/announcements");
        assertThat(event.path("actor").asString()).isEqualTo("ada");
        assertThat(event.path("request_id").asString()).isEqualTo("request-3");
        assertThat(event.path("correlation_id").asString()).isEqualTo("correlation-3");

        enable(home);
        assertThat(ada.post("/v1/announcements", key, BODY))
                .matches(heard -> heard.status() == 202 && !heard.isReplay());
        disable(home);
        assertThat(ada.post("/v1/announcements", key, BODY)).matches(heard -> heard.is(403, "feature.disabled"));
        assertThat(engine.organisation()
                        .ada()
                        .post("/v1/announcements", freshKey(), BODY)
                        .status())
                .as("another organisation")
                .isEqualTo(202);
    }

    @ParameterizedTest
    @EnumSource
    void rejectionsCountAgainstTheRateLimit(Engine engine) {
        Organisation home = engine.organisation();
        disable(home);
        Person hasty = home.person("hasty", "PLANNER", 2);
        for (int i = 0; i < 2; i++) {
            assertThat(hasty.post("/v1/announcements", freshKey(), BODY).status())
                    .isEqualTo(403);
        }
        PlannerResponse third = hasty.post("/v1/announcements", freshKey(), BODY);
        assertThat(third).matches(heard -> heard.is(429, "request.rate_limited"));
        assertThat(Integer.parseInt(third.header("Retry-After"))).isBetween(1, 61);
        assertThat(hasty.get("/v1/audit").json().size()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void jobOfAFeatureThatWasDisabledMeanwhileIsADeadLetterAndItsAuthorIsTold(Engine engine)
            throws InterruptedException {
        Planner planner = engine.planner();
        Organisation home = engine.organisation();
        Person ada = home.ada();
        Person bob = home.bob();
        Operator.Warrant warrant = new Operator.Warrant("test", "to disable the feature before the job runs");
        planner.operator().pause(Jobs.ANNOUNCEMENTS.name(), home.id(), warrant);
        planner.operator().awaitModes();
        PlannerResponse accepted = Person.send(
                ada.keyed("POST", "/v1/announcements", freshKey(), BODY).header("X-Request-ID", "request-4"));
        assertThat(accepted.status()).isEqualTo(202);
        disable(home);
        planner.operator().resume(Jobs.ANNOUNCEMENTS.name(), home.id(), warrant);

        Await.until("it is given up", () -> ada.get("/v1/dead-letters").json().size() == 1);
        JsonNode letter = ada.get("/v1/dead-letters").json().path(0);
        assertThat(letter.path("category").asString()).isEqualTo("disabled");
        assertThat(letter.path("attempts").asInt()).isEqualTo(1);
        Tenant tenant = Tenant.of(home.id());
        Key key = Jobs.hashKey(tenant, Jobs.ANNOUNCEMENTS, "Launch at nine.");
        Row job =
                planner.operator().find(tenant, Jobs.ANNOUNCEMENTS.name(), key).orElseThrow();
        assertThat(planner.operator().story(job.id(), 10))
                .filteredOn(event -> event.type().equals("system.error"))
                .singleElement()
                .extracting(AuditEvent::fields)
                .satisfies(fields -> assertThat(fields)
                        .containsEntry("category", "disabled")
                        .containsEntry("actor", "ada")
                        .containsEntry("request_id", "request-4"));
        Await.until("ada is told", () -> ada.get("/v1/notifications").json().size() == 1);
        assertThat(ada.get("/v1/notifications").json().path(0).asString())
                .isEqualTo("Your announcement was not delivered: Announcements are disabled for this organisation.");
        assertThat(bob.get("/v1/notifications").json().size()).isZero();

        enable(home);
        planner.operator().replay(job.id(), new Operator.Warrant("test", "the feature is enabled again"));
        Await.until("bob is told", () -> bob.get("/v1/notifications").json().size() == 1);
    }
}
