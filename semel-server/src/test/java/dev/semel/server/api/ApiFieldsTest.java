package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Field;
import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The members that each endpoint reads are those that the OpenAPI document has. */
class ApiFieldsTest {
    private static final String HELD = "\"record\":\"" + "0".repeat(64) + "\",\"fence\":\"1\"";
    private static final String RUN = HELD + ",\"step_fence\":\"1\"";

    private static String body(Endpoint endpoint, boolean lines) {
        if (lines || endpoint.path().endsWith("{operation}/begin")) {
            return "{\"key\":\"k\",\"surprise\":1}";
        }
        boolean many =
                endpoint.input().body().stream().anyMatch(field -> field.name().equals("messages"));
        boolean claim = endpoint.path().endsWith("/claim");
        return claim
                ? "{\"surprise\":1}"
                : many ? "{\"messages\":[{" + HELD + "}],\"surprise\":1}" : "{" + RUN + ",\"surprise\":1}";
    }

    @Test
    void endpointsReadTheDocumentedMembersAndNoOthers() {
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            for (Endpoint endpoint : ApiEndpoints.all()) {
                if (!endpoint.method().equals("POST")) {
                    continue;
                }
                String path = endpoint.path()
                        .replace("{operation}", "charge")
                        .replace("{channel}", "charge")
                        .replace("{step}", "s");
                boolean lines = endpoint.input().bodyTypes().size() > 1;
                String body = body(endpoint, lines);
                ApiReply reply = server.post(
                        ApiServer.ACME,
                        path,
                        lines ? "application/x-ndjson" : "application/json",
                        body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
                String detail = reply.text("detail");
                assertThat(detail).as(endpoint.path() + " " + reply).contains("Known here are");
                List<String> read = List.of(detail.replaceFirst("(?s).*Known here are ", "")
                        .replaceFirst("(?s)\\. Nothing was done.*", "")
                        .split(", "));
                assertThat(new TreeSet<>(read))
                        .as(endpoint.path())
                        .containsExactlyElementsOf(new TreeSet<>(endpoint.input().body().stream()
                                .map(Field::name)
                                .toList()));
            }
        }
    }
}
