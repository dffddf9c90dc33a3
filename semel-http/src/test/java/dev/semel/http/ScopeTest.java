package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose keys they are. */
@ParameterizedClass
@EnumSource(Container.class)
class ScopeTest {
    @Parameter
    private Container container;

    private final CountingHandler app = new CountingHandler();

    private ReceivedResponse asked(FilteredServer server, String user, String method, String path) {
        return server.send(server.requestOf(user, method, path, "{}").header("Idempotency-Key", "k-1"));
    }

    @Test
    void e1_sameKeyOfTwoTenantsUsersMethodsAndRoutesIsSeparate() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withRoute("POST", "/orders", Rule.required())
                        .withRoute("PUT", "/orders", Rule.required())
                        .withRoute("POST", "/refunds", Rule.required()),
                app)) {
            assertThat(asked(server, "alice@acme", "POST", "/orders").text()).isEqualTo("{\"run\":1}");
            assertThat(asked(server, "alice@globex", "POST", "/orders").text()).isEqualTo("{\"run\":2}");
            assertThat(asked(server, "bob@acme", "POST", "/orders").text()).isEqualTo("{\"run\":3}");
            assertThat(asked(server, "alice@acme", "PUT", "/orders").text()).isEqualTo("{\"run\":4}");
            assertThat(asked(server, "alice@acme", "POST", "/refunds").text()).isEqualTo("{\"run\":5}");
            assertThat(asked(server, "alice@acme", "POST", "/orders").text()).isEqualTo("{\"run\":1}");
            assertThat(asked(server, "alice@globex", "POST", "/orders").text()).isEqualTo("{\"run\":2}");
        }
    }

    @Test
    void sameKeyOnAnotherProjectConflicts() {
        try (FilteredServer server = FilteredServer.open(
                container, all -> all.withRoute("POST", "/projects/{project}/missions", Rule.required()), app)) {
            assertThat(asked(server, "alice@acme", "POST", "/projects/1/missions")
                            .status())
                    .isEqualTo(201);
            ReceivedResponse other = asked(server, "alice@acme", "POST", "/projects/2/missions");
            assertThat(other.status()).isEqualTo(409);
            assertThat(other.code()).isEqualTo("idempotency.payload_mismatch");
            assertThat(asked(server, "alice@acme", "POST", "/elsewhere/1").status())
                    .isEqualTo(201);
            assertThat(asked(server, "alice@acme", "POST", "/elsewhere/2").code())
                    .isEqualTo("idempotency.payload_mismatch");
            assertThat(app.runs()).isEqualTo(2);
        }
    }

    @Test
    void e2_anonymousRequestIsRejectedUnlessAScopeFunctionIsSet() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/orders"))
                    .header("Idempotency-Key", "k-1")
                    .header("X-Tenant", "acme")
                    .POST(HttpRequest.BodyPublishers.noBody()));
            assertThat(received.status()).isEqualTo(401);
            assertThat(received.code()).isEqualTo("request.unauthenticated");
            assertThat(app.runs()).isZero();
        }
        try (FilteredServer server = FilteredServer.with(
                container,
                EngineSettings.on(new MemoryStore(TimeSource.system())),
                all -> all.withScope(request -> Optional.of(KeyScope.of(Tenant.of("public"), request.getRemoteAddr()))),
                app)) {
            HttpRequest.Builder anonymous = HttpRequest.newBuilder(server.at("/orders"))
                    .header("Idempotency-Key", "k-1")
                    .POST(HttpRequest.BodyPublishers.noBody());
            assertThat(server.send(anonymous).status()).isEqualTo(201);
            assertThat(server.send(anonymous).replayed()).isTrue();
        }
    }

    @Test
    void badInput_principalWithoutATenantIsRejectedAndNothingIsStored() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            for (String user : new String[] {"alice", "alice@", "alice@" + "x".repeat(256)}) {
                ReceivedResponse received = asked(server, user, "POST", "/orders");
                assertThat(received.status()).isEqualTo(403);
                assertThat(received.code()).isEqualTo("request.no_tenant");
            }
            assertThat(app.runs()).isZero();
            assertThat(asked(server, "alice@acme", "POST", "/orders").replayed())
                    .isFalse();
        }
    }

    @Test
    void callersOfATenantShareTheirKeysWherePrincipalsAreSwitchedOff() {
        try (FilteredServer server = FilteredServer.open(container, HttpSettings::withoutPrincipal, app)) {
            assertThat(asked(server, "alice@acme", "POST", "/orders").replayed())
                    .isFalse();
            assertThat(asked(server, "bob@acme", "POST", "/orders").replayed()).isTrue();
            assertThat(asked(server, "bob@globex", "POST", "/orders").replayed())
                    .isFalse();
        }
    }

    @Test
    void e3_revokedCallerIsRejectedAndNeverSeesTheStoredBody() {
        AtomicBoolean allowed = new AtomicBoolean(true);
        try (FilteredServer server =
                FilteredServer.open(container, all -> all.withAuthorization((request, scope) -> allowed.get()), app)) {
            assertThat(asked(server, "alice@acme", "POST", "/orders").status()).isEqualTo(201);
            ReceivedResponse inFront = asked(server, "revoked", "POST", "/orders");
            assertThat(inFront.status()).isEqualTo(403);
            assertThat(inFront.text()).doesNotContain("run");
            allowed.set(false);
            ReceivedResponse behind = asked(server, "alice@acme", "POST", "/orders");
            assertThat(behind.status()).isEqualTo(403);
            assertThat(behind.code()).isEqualTo("request.forbidden");
            assertThat(behind.text()).doesNotContain("run");
            assertThat(app.runs()).isEqualTo(1);
        }
    }

    @Test
    void longCallerNamesHaveSeparateScopes() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            String name = "n".repeat(400);
            assertThat(asked(server, name + "1@acme", "POST", "/orders").replayed())
                    .isFalse();
            assertThat(asked(server, name + "2@acme", "POST", "/orders").replayed())
                    .isFalse();
            assertThat(asked(server, name + "1@acme", "POST", "/orders").replayed())
                    .isTrue();
        }
    }
}
