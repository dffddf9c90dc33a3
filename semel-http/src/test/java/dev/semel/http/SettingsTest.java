package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Settings of a filter, and rejected ones. */
class SettingsTest {
    private final Semel semel = EngineSettings.on(new MemoryStore(TimeSource.system()))
            .withoutBackground()
            .open();

    @Test
    void allFaultsAreNamedAtOnce() {
        Semel wrapper = (Semel) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Semel.class}, (proxy, method, arguments) -> null);
        assertThatThrownBy(() -> IdempotencyFilter.on(wrapper)
                        .withSingleTenant()
                        .withTenant(request -> "acme")
                        .withScope(request -> Optional.empty())
                        .withDefault(Rule.optional())
                        .withDefault(Rule.off())
                        .withReplayedHeaders("Set-Cookie", "Access-Control-Allow-Origin", "X-Fine")
                        .withRoute("GET", "/a", Rule.required())
                        .withRoute("POST", "a", Rule.required())
                        .withRoute("POST", "/**/a", Rule.required())
                        .withRoute("POST", "/a/{x}", Rule.required())
                        .withRoute("post", "/a/{y}", Rule.required())
                        .withRoute("POST", "/" + "long".repeat(40), Rule.required())
                        .build())
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContainingAll(
                        "tenant is set twice",
                        "default rule is set twice",
                        "withScope(...) excludes the tenant",
                        "Set-Cookie",
                        "Access-Control-Allow-Origin",
                        "GET /a",
                        "must begin with /",
                        "allowed only at the end",
                        "/a/{y} is given twice",
                        "at most 120 characters",
                        "not a wrapper");
        assertThatThrownBy(() -> IdempotencyFilter.on(semel).build())
                .hasMessageContaining("the scope of idempotency" + " keys is not defined");
    }

    @Test
    void unknownPolicyFailsAtTheStart() {
        assertThatThrownBy(() -> IdempotencyFilter.on(semel)
                        .withSingleTenant()
                        .withRoute("POST", "/a", Rule.required().withPolicy("no.such"))
                        .build())
                .isInstanceOf(SemelException.class)
                .hasMessageContaining("no.such");
    }

    @Test
    void ruleRejectsInvalidValues() {
        assertThatThrownBy(() -> Rule.required().withLargestRequest(0)).hasMessageContaining("0 bytes");
        assertThatThrownBy(() -> Rule.required().withLargestKeptResponse(-1)).hasMessageContaining("-1 bytes");
        assertThatThrownBy(() -> Rule.required().withPatience(Duration.ofSeconds(-1)))
                .hasMessageContaining("patience");
        assertThatThrownBy(() -> Rule.required().withPolicy(" ")).hasMessageContaining("policy");
    }

    @Test
    void duplicateSettingsAreNamed() {
        HttpSettings settings = IdempotencyFilter.on(semel).withSingleTenant();
        for (int i = 0; i < 2; i++) {
            settings.withRateLimit(request -> Optional.empty())
                    .withoutPrincipal()
                    .withAuthorization((request, scope) -> true)
                    .withErrors((request, response, status, message) -> {})
                    .withStatusLink((request, id) -> URI.create("/"))
                    .withLogs((correlation, request) -> () -> {})
                    .withIds(() -> "id")
                    .withTime(TimeSource.system())
                    .withIetfProfile(URI.create("https://example.com"))
                    .withRoutes(request -> Optional.empty())
                    .afterFirstCommit((request, exchange) -> {});
        }
        assertThatThrownBy(settings::build)
                .hasMessageContainingAll(
                        "rate limit", "principal", "authorization", "errors", "status link", "logs", "ids", "time")
                .hasMessageContainingAll("IETF profile", "routes of the application", "after first commit");
    }

    @Test
    void codesAreFoundByTheirNames() {
        assertThat(Stream.of(ProblemCode.values()).map(ProblemCode::code)).doesNotHaveDuplicates();
        for (ProblemCode code : ProblemCode.values()) {
            assertThat(ProblemCode.ofCode(code.code())).contains(code);
        }
        assertThat(ProblemCode.ofCode("no.such")).isEmpty();
    }

    @Test
    void routeThatIsLiteralEarlierWins() {
        Rule rule = Rule.required();
        try (FilteredServer server = FilteredServer.open(
                Container.JETTY,
                all -> all.withRoute("POST", "/**", rule)
                        .withRoute("POST", "/a/{x}/c", rule)
                        .withRoute("POST", "/a/b/{x}", rule)
                        .withRoute("POST", "/a/**", rule)
                        .withRoute("POST", "/", rule),
                (request, response) -> response.setStatus(204))) {
            for (String path : List.of("/a/b/c", "/a/x/c", "/a/x/y", "/a", "/z/y/x", "/", "/a/b/1/")) {
                server.send(server.post(path, "k" + path.replace("/", "-"), "{}"));
            }
            assertThat(
                            server
                                    .engine()
                                    .operator()
                                    .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 20)
                                    .stream()
                                    .map(Row::header)
                                    .map(header -> header.key() + " " + header.operation()))
                    .containsExactlyInAnyOrder(
                            "u:alice%40acme:k-a-b-c POST /a/b/{x}",
                            "u:alice%40acme:k-a-x-c POST /a/{x}/c",
                            "u:alice%40acme:k-a-x-y POST /a/**",
                            "u:alice%40acme:k-a POST /a/**",
                            "u:alice%40acme:k-z-y-x POST /**",
                            "u:alice%40acme:k- POST /",
                            "u:alice%40acme:k-a-b-1- POST /a/b/{x}");
        }
    }

    @Test
    void frameworkMayDetermineTheRoute() {
        String template = "/projects/{project}/" + "sub/".repeat(40);
        try (FilteredServer server = FilteredServer.open(
                Container.JETTY,
                all -> all.withRoute("POST", "/known/{id}", Rule.optional())
                        .withRoutes(request -> switch (request.getPathInfo()) {
                            case "/long" ->
                                Optional.of(
                                        new Hooks.Routes.FoundRoute(template, Map.of("project", "1"), Rule.required()));
                            case "/known" ->
                                Optional.of(new Hooks.Routes.FoundRoute("/known/{id}", Map.of("id", "1"), null));
                            default -> Optional.empty();
                        }),
                (request, response) -> response.setStatus(204))) {
            assertThat(server.send(server.post("/long", "k-1", "{}")).status()).isEqualTo(204);
            assertThat(server.send(server.request("POST", "/known", "{}")).status())
                    .isEqualTo(204);
            assertThat(server.send(server.request("POST", "/other", "{}")).status())
                    .isEqualTo(400);
            assertThat(server.engine()
                            .operator()
                            .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 2)
                            .get(0)
                            .header()
                            .operation())
                    .hasSize(120)
                    .startsWith("POST /projects/{project}/sub/");
        }
    }
}
