package dev.semel.http;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Keys;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A request as a call of the ledger.
 *
 * @param details for the audit event
 */
record CallOf(Call<byte[]> call, Map<String, String> details) {
    private static final int LONGEST_NAME = 100;

    static CallOf request(Handling.Asked asked, IdempotencyFilter.Admitted admitted, byte[] digest) {
        Scope scope = admitted.scope();
        Call.Origin origin = Call.Origin.UNSTATED
                .withCorrelationId(asked.ids().correlation())
                .withSource("http");
        String trace = asked.ids().trace();
        if (trace != null) {
            origin = origin.withTraceId(trace);
        }
        if (scope.principal().isPresent()) {
            origin = origin.withActor(shown(scope.principal().get()), "user");
        }
        Long version = ExpectedVersion.of(asked.request()).number();
        if (version != null) {
            origin = origin.withAggregateVersion(version);
        }
        Tenant tenant = scope.tenant();
        return new CallOf(
                Call.of(tenant, key(scope, admitted.key()), digest)
                        .withOrigin(origin)
                        .withPatience(asked.match().rule().patience()),
                Map.of("request_id", asked.ids().request()));
    }

    /** Whose key it is, then the key: no two scopes can write the same. */
    private static Key key(Scope scope, String key) {
        if (scope.principal().isEmpty()) {
            return Key.of("t:" + key);
        }
        String name = scope.principal().get();
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);
        return Key.of(
                encoded.length() <= LONGEST_NAME
                        ? "u:" + encoded + ":" + key
                        : "h:" + Keys.contentHash(name).text() + ":" + key);
    }

    /** A name as the audit takes it: one line of well-formed text, at most 255 characters. */
    private static String shown(String name) {
        String line = name.replaceAll("[\\p{Cntrl}\\p{Cs}]", " ");
        return line.length() <= 255 ? line : line.substring(0, 252) + "...";
    }
}
