package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.State;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The status of a request, for the caller who sent it and for nobody else. */
@ParameterizedClass
@EnumSource(Container.class)
class StatusResourceTest {
    private static final Rule RULE = Rule.required().withLevel(Level.PLAIN);
    private static final String MESSAGE = "<script>alert(1)</script> customer 4711";

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    /** Handlers fail: below /lost nobody knows with what effect, elsewhere with none. */
    private FilteredServer site(UnaryOperator<HttpSettings> settings) {
        return FilteredServer.open(
                container,
                all -> settings.apply(all.withRoute("POST", "/a", RULE)
                        .withRoute("POST", "/lost", RULE)
                        .withRoute("POST", "/done", RULE)),
                (request, response) -> {
                    runs.incrementAndGet();
                    if (request.getRequestURI().startsWith("/done")) {
                        response.setStatus(201);
                        return;
                    }
                    if (!request.getRequestURI().startsWith("/lost")) {
                        IdempotentExchange.current().orElseThrow().noEffect();
                    }
                    throw Failure.of(Failure.Category.NETWORK, MESSAGE).asException();
                });
    }

    private FilteredServer site() {
        return site(all -> all.withStatusResource("/requests").withCancellation());
    }

    private static String id(String user, String operation, String key) {
        String tenant = user.substring(user.indexOf('@') + 1);
        return Identity.of(Tenant.of(tenant), operation, Key.of("u:" + user.replace("@", "%40") + ":" + key))
                .id()
                .hex();
    }

    private static ReceivedResponse get(FilteredServer site, String user, String path) {
        return site.send(
                HttpRequest.newBuilder(site.at(path)).header("X-User", user).GET());
    }

    private static ReceivedResponse cancel(FilteredServer site, String user, String id, String body) {
        return site.send(site.requestOf(user, "POST", "/requests/" + id + "/cancel", body));
    }

    private static JsonNode json(ReceivedResponse heard) {
        assertThat(heard.header("Content-Type").orElse("")).startsWith("application/json");
        assertThat(heard.header("Cache-Control")).hasValue("no-store");
        assertThat(heard.header("X-Content-Type-Options")).hasValue("nosniff");
        return JsonMapper.shared().readTree(heard.body());
    }

    @Test
    void linkOfAnUnknownOutcomeLeadsToTheStatus() {
        try (FilteredServer site = site()) {
            site.send(site.post("/lost", "k-1", "{}"));
            ReceivedResponse unknown = site.send(site.post("/lost", "k-1", "{}"));
            assertThat(unknown.code()).isEqualTo("idempotency.outcome_unknown");
            String link = unknown.problem().get("status_link").stringValue();
            assertThat(unknown.header("Link")).hasValue("<" + link + ">; rel=\"status\"");
            assertThat(unknown.problem().get("next").toString()).isEqualTo("[\"check_status\",\"contact\"]");
            JsonNode status = json(get(site, "alice@acme", link));
            assertThat(status.get("state").stringValue()).isEqualTo("UNKNOWN");
            assertThat(status.get("operation").stringValue()).isEqualTo("POST /lost");
            assertThat(status.get("reason").stringValue()).contains("may or may not have taken effect: unknown");
            assertThat(status.get("failure").get("category").stringValue()).isEqualTo("unknown");
            assertThat(status.get("next").toString()).isEqualTo("[\"check_status\",\"contact\"]");
        }
    }

    @Test
    void requestThatWaitsForItsRetryLinksToItsStatusAndCanBeCancelled() {
        try (FilteredServer site = site()) {
            ReceivedResponse first = site.send(site.post("/a", "k-1", "{}"));
            assertThat(first.status()).isEqualTo(500);
            ReceivedResponse later = site.send(site.post("/a", "k-1", "{}"));
            assertThat(later.code()).isEqualTo("idempotency.retry_later");
            assertThat(later.problem().get("next").toString()).isEqualTo("[\"retry\",\"check_status\",\"cancel\"]");
            String link = later.problem().get("status_link").stringValue();
            assertThat(link).isEqualTo("/requests/" + id("alice@acme", "POST /a", "k-1"));
            JsonNode status = json(get(site, "alice@acme", link));
            assertThat(status.get("state").stringValue()).isEqualTo("FAILED_RETRYABLE");
            assertThat(status.has("next_attempt")).isTrue();

            ReceivedResponse cancelled =
                    site.send(site.request("POST", link + "/cancel", "{\"reason\":\"changed my mind\"}"));
            assertThat(cancelled.status()).isEqualTo(200);
            assertThat(json(cancelled).get("outcome").stringValue()).isEqualTo("cancelled");
            ReceivedResponse again =
                    site.send(site.request("POST", link + "/cancel", "{\"reason\":\"changed my mind\"}"));
            assertThat(again.status()).isEqualTo(200);
            assertThat(json(again).get("outcome").stringValue()).isEqualTo("already_cancelled");
            assertThat(site.send(site.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.discarded");
            assertThat(runs).hasValue(1);
            assertThat(site.engine().operator().story(RecordId.ofHex(link.substring(10)), 10))
                    .last()
                    .satisfies(event -> assertThat(event.fields())
                            .containsAllEntriesOf(Map.of(
                                    "type", "operator.discarded",
                                    "actor", "alice@acme",
                                    "reason", "changed my mind")));
        }
    }

    @Test
    void completedRequestSaysThatItIsDoneAndCannotBeCancelled() {
        try (FilteredServer site = site()) {
            site.send(site.post("/done", "k-1", "{}"));
            String id = id("alice@acme", "POST /done", "k-1");
            assertThat(json(get(site, "alice@acme", "/requests/" + id))
                            .get("state")
                            .stringValue())
                    .isEqualTo("COMPLETED");
            ReceivedResponse heard = cancel(site, "alice@acme", id, "{\"reason\":\"no\"}");
            assertThat(heard.status()).isEqualTo(409);
            assertThat(json(heard).get("outcome").stringValue()).isEqualTo("not_cancelled");
            assertThat(json(heard).get("reason").stringValue()).contains("it is completed");
        }
    }

    @Test
    void statusHoldsNeitherKeyNorPayloadNorTheStoredReason() {
        try (FilteredServer site = site()) {
            site.send(site.post("/lost", "k-secret-key", "{\"iban\":\"DE00\"}"));
            site.send(site.post("/a", "k-secret-key", "{\"iban\":\"DE00\"}"));
            for (String operation : new String[] {"POST /lost", "POST /a"}) {
                ReceivedResponse heard =
                        get(site, "alice@acme", "/requests/" + id("alice@acme", operation, "k-secret-key"));
                assertThat(heard.status()).isEqualTo(200);
                assertThat(heard.text()).doesNotContain("k-secret-key", "DE00", "script", "4711");
            }
        }
    }

    @Test
    void row_not_found_foreignTenantPrincipalAndGuessedIdsAreAllTheSame404() {
        try (FilteredServer site = site()) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            assertThat(get(site, "alice@acme", "/requests/" + id).status()).isEqualTo(200);
            String never = "0".repeat(64);
            String body =
                    get(site, "bob@acme", "/requests/" + never).text().replaceAll("\"correlation_id\":\"[^\"]*\"", "");
            for (String user : new String[] {"bob@acme", "alice@globex", "alice@acme@globex", "alice"}) {
                ReceivedResponse heard = get(site, user, "/requests/" + id);
                if (!user.equals("alice")) {
                    assertThat(heard.status()).as(user).isEqualTo(404);
                    assertThat(heard.code()).isEqualTo("idempotency.not_found");
                    assertThat(heard.text().replaceAll("\"correlation_id\":\"[^\"]*\"", ""))
                            .isEqualTo(body);
                } else {
                    assertThat(heard.code()).isEqualTo("request.no_tenant");
                }
                assertThat(cancel(site, user, id, "{\"reason\":\"mine now\"}").status())
                        .isIn(403, 404);
            }
            assertThat(get(site, "alice@acme", "/requests/" + id + "?version=2").status())
                    .isEqualTo(404);
            ReceivedResponse anonymous =
                    site.send(HttpRequest.newBuilder(site.at("/requests/" + id)).GET());
            assertThat(anonymous.code()).isEqualTo("request.unauthenticated");
            assertThat(site.engine()
                            .status(Tenant.of("acme"), id)
                            .orElseThrow()
                            .state()
                            .name())
                    .isEqualTo(State.FAILED_RETRYABLE.name());
        }
    }

    @Test
    void attack_callersWhoShareTheirKeysCancelNothing() {
        try (FilteredServer site = site(
                all -> all.withoutPrincipal().withStatusResource("/requests").withCancellation())) {
            site.send(site.post("/a", "k-1", "{}"));
            ReceivedResponse later = site.send(site.post("/a", "k-1", "{}"));
            assertThat(later.code()).isEqualTo("idempotency.retry_later");
            assertThat(later.problem().get("next").toString()).isEqualTo("[\"retry\",\"check_status\"]");
            String link = later.problem().get("status_link").stringValue();
            ReceivedResponse shown = get(site, "amy@acme", link);
            assertThat(shown.status()).isEqualTo(200);
            assertThat(json(shown).get("next").toString()).doesNotContain("cancel");
            assertThat(site.send(site.requestOf("amy@acme", "POST", link + "/cancel", "{\"reason\":\"not mine\"}"))
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void attack_recordsThatNoRequestMadeAreNotServed() {
        try (FilteredServer site = site()) {
            Tenant acme = Tenant.of("acme");
            Key key = Key.of("u:alice%40acme:k-1");
            Operation.Leased<String, String> job = Operation.leased("payroll", String.class, String.class);
            site.engine().run(job, Call.of(acme, key, "x"), (payload, run) -> "paid");
            String id = Identity.of(acme, "payroll", key).id().hex();
            assertThat(site.engine().status(acme, id)).isPresent();
            assertThat(get(site, "alice@acme", "/requests/" + id).status()).isEqualTo(404);
            assertThat(cancel(site, "alice@acme", id, "{\"reason\":\"r\"}").status())
                    .isEqualTo(404);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/1",
                "/%2e%2e",
                "/..%2f",
                "/ID/",
                "/ID/cancel/",
                "/ID/x",
                "/IDff",
                "/ID;v=1",
                "/ID/../ID"
            })
    void attack_anythingBelowThePathThatIsNoIdIs404OrRejected(String below) {
        try (FilteredServer site = site()) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            ReceivedResponse heard = get(site, "alice@acme", "/requests" + below.replace("ID", id));
            assertThat(heard.status()).isIn(400, 404, 200);
            assertThat(runs).hasValue(1);
            if (heard.status() == 200) {
                assertThat(below).isEqualTo("/ID/../ID");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "reason",
                "{}",
                "[]",
                "{\"reason\":7}",
                "{\"reason\":\"\"}",
                "{\"reason\":\"  \"}",
                "{\"reason\":\"a\\u0000b\"}",
                "{\"reason\":\"\\ud800\"}",
                "{\"reason\":null}"
            })
    void badInput_cancellationWithoutAUsableReasonIsRejectedAndNothingIsCancelled(String body) {
        try (FilteredServer site = site()) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            ReceivedResponse heard = cancel(site, "alice@acme", id, body);
            assertThat(heard.status()).isEqualTo(400);
            assertThat(heard.code()).isEqualTo("request.body_malformed");
            assertThat(cancel(site, "alice@acme", id, "{\"reason\":\"" + "x".repeat(20_000) + "\"}")
                            .status())
                    .isEqualTo(400);
            assertThat(site.engine()
                            .status(Tenant.of("acme"), id)
                            .orElseThrow()
                            .state()
                            .name())
                    .isEqualTo("FAILED_RETRYABLE");
        }
    }

    @Test
    void attack_formOfAnotherSiteAndMarkupInAReasonDoNoHarm() {
        try (FilteredServer site = site()) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            ReceivedResponse form = site.send(HttpRequest.newBuilder(site.at("/requests/" + id + "/cancel"))
                    .header("X-User", "alice@acme")
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(HttpRequest.BodyPublishers.ofString("reason=forged")));
            assertThat(form.status()).isEqualTo(400);
            ReceivedResponse done = cancel(site, "alice@acme", id, "{\"reason\":\"<img src=x onerror=alert(1)>\"}");
            assertThat(done.status()).isEqualTo(200);
            assertThat(done.text()).doesNotContain("<img");
        }
    }

    @Test
    void cancellationIsOffUnlessSwitchedOn() {
        try (FilteredServer site = site(all -> all.withStatusResource("/requests"))) {
            site.send(site.post("/a", "k-1", "{}"));
            ReceivedResponse later = site.send(site.post("/a", "k-1", "{}"));
            assertThat(later.problem().get("next").toString()).isEqualTo("[\"retry\",\"check_status\"]");
            String id = id("alice@acme", "POST /a", "k-1");
            assertThat(json(get(site, "alice@acme", "/requests/" + id))
                            .get("next")
                            .toString())
                    .isEqualTo("[\"retry\",\"check_status\"]");
            assertThat(cancel(site, "alice@acme", id, "{\"reason\":\"r\"}").status())
                    .isEqualTo(404);
        }
    }

    @Test
    void preflightOfABrowserIsAnsweredByTheHookOfOriginsWithoutAuthentication() {
        try (FilteredServer site =
                site(all -> all.withStatusResource("/requests").withOrigins((request, response) -> {
                    response.setHeader("Access-Control-Allow-Origin", "https://shop.example");
                    response.setStatus(request.getHeader("Origin").equals("https://shop.example") ? 200 : 403);
                    return response.getStatus() == 200;
                }))) {
            String id = id("alice@acme", "POST /a", "k-1");
            ReceivedResponse asked = site.send(preflight(site, id, "https://shop.example"));
            assertThat(asked.status()).isEqualTo(204);
            assertThat(asked.header("Access-Control-Allow-Origin")).hasValue("https://shop.example");
            assertThat(site.send(preflight(site, id, "https://evil.example")).status())
                    .isEqualTo(403);
            assertThat(site.send(HttpRequest.newBuilder(site.at("/requests/" + id))
                                    .header("Origin", "https://shop.example")
                                    .method("OPTIONS", HttpRequest.BodyPublishers.noBody()))
                            .status())
                    .as("no preflight")
                    .isEqualTo(401);
        }
    }

    @Test
    void preflightWithoutTheHookIsLeftToTheApplication() {
        try (FilteredServer site = site()) {
            ReceivedResponse asked =
                    site.send(preflight(site, id("alice@acme", "POST /a", "k-1"), "https://shop.example"));
            assertThat(asked.status()).isNotEqualTo(401);
            assertThat(runs).hasValue(1);
        }
    }

    private static HttpRequest.Builder preflight(FilteredServer site, String id, String origin) {
        return HttpRequest.newBuilder(site.at("/requests/" + id))
                .header("Origin", origin)
                .header("Access-Control-Request-Method", "GET")
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody());
    }

    @Test
    void otherMethodsAreNotAllowed() {
        try (FilteredServer site = site()) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            ReceivedResponse deleted = site.send(site.request("DELETE", "/requests/" + id, ""));
            assertThat(deleted.status()).isEqualTo(405);
            assertThat(deleted.header("Allow")).hasValue("GET, HEAD");
            assertThat(get(site, "alice@acme", "/requests/" + id + "/cancel").status())
                    .isEqualTo(405);
        }
    }

    @Test
    void withoutTheResourceNothingIsServedAndNothingLinksToIt() {
        try (FilteredServer site = site(UnaryOperator.identity())) {
            site.send(site.post("/a", "k-1", "{}"));
            ReceivedResponse later = site.send(site.post("/a", "k-1", "{}"));
            assertThat(later.problem().has("status_link")).isFalse();
            assertThat(later.problem().get("next").toString()).isEqualTo("[\"retry\"]");
        }
    }

    @Test
    void authorizationAndRateLimitHoldForTheStatusToo() {
        try (FilteredServer site = site(all -> all.withStatusResource("/requests")
                .withAuthorization((request, scope) ->
                        !request.getMethod().equals("GET") || scope.principal().equals(Optional.of("bob@acme")))
                .withRateLimit(request -> request.getHeader("X-Too-Many") == null
                        ? Optional.empty()
                        : Optional.of(Duration.ofSeconds(7))))) {
            site.send(site.post("/a", "k-1", "{}"));
            String id = id("alice@acme", "POST /a", "k-1");
            assertThat(get(site, "alice@acme", "/requests/" + id).code()).isEqualTo("request.forbidden");
            ReceivedResponse limited = site.send(HttpRequest.newBuilder(site.at("/requests/" + id))
                    .header("X-User", "bob@acme")
                    .header("X-Too-Many", "1")
                    .GET());
            assertThat(limited.status()).isEqualTo(429);
            assertThat(limited.retryAfter()).isEqualTo(7);
        }
    }

    @Test
    void contradictorySettingsAreNamedTogether() {
        assertThatThrownBy(() -> site(all ->
                        all.withStatusResource("requests/").withStatusLink((request, correlation) -> URI.create("/x"))))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("\"requests/\" is not the path of a status resource")
                .hasMessageContaining("keep one of them");
        assertThatThrownBy(() -> site(HttpSettings::withCancellation))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("withCancellation() needs the path");
    }
}
