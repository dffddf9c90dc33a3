package dev.semel.http;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Keys;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Converts a request into a call of the ledger. */
final class RequestToCall {
    private static final int LONGEST_NAME = 100;

    private RequestToCall() {}

    static Call<byte[]> request(IncomingRequest incoming, IdempotencyFilter.AdmissionCheck admitted, byte[] digest) {
        KeyScope scope = admitted.scope();
        Call.Origin origin = Call.Origin.UNSTATED
                .withCorrelationId(incoming.ids().correlation())
                .withRequestId(incoming.ids().request())
                .withSource("http");
        String trace = incoming.ids().trace();
        if (trace != null) {
            origin = origin.withTraceId(trace);
        }
        if (scope.principal().isPresent()) {
            origin = origin.withActor(shown(scope.principal().get()), "user");
        }
        Long version = ExpectedVersion.of(incoming.request()).number();
        if (version != null) {
            origin = origin.withAggregateVersion(version);
        }
        Tenant tenant = scope.tenant();
        return Call.of(tenant, key(scope, incoming.match().version(), admitted.key()), digest)
                .withOrigin(origin)
                .withPatience(incoming.match().rule().patience());
    }

    private static Key key(KeyScope scope, @Nullable String version, String key) {
        return Key.of(prefix(scope, version) + key);
    }

    /** The scope, before the key: no prefix begins another one. */
    private static String prefix(KeyScope scope, @Nullable String version) {
        String owner = scope.principal().map(RequestToCall::encoded).orElse("");
        if (scope.issuer().isPresent() || version != null) {
            String whole = encoded(scope.issuer().orElse("")) + ":" + encoded(version == null ? "" : version) + ":"
                    + (scope.principal().isPresent() ? "u:" + owner : "t");
            return "s:" + Keys.contentHash(whole).text() + ":";
        }
        if (scope.principal().isEmpty()) {
            return "t:";
        }
        return owner.length() <= LONGEST_NAME
                ? "u:" + owner + ":"
                : "h:" + Keys.contentHash(scope.principal().get()).text() + ":";
    }

    /**
     * Whether a record of the scope's tenant was made by a request of this scope.
     *
     * @param version as the request that made it had it
     */
    static boolean isMadeIn(KeyScope scope, @Nullable String version, String operation, String key) {
        int space = operation.indexOf(' ');
        return space > 0
                && KeyHeader.METHODS.contains(operation.substring(0, space))
                && key.startsWith(prefix(scope, version));
    }

    /** The name of a caller for the audit. */
    static String actor(KeyScope scope) {
        return scope.principal().map(RequestToCall::shown).orElse("anonymous");
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8);
    }

    /**
     * A name that the audit accepts: one line of well-formed text, at most 255 characters, without characters that change the
     * reading direction.
     */
    private static String shown(String name) {
        String line = name.replaceAll("[\\p{Cntrl}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", " ");
        if (line.length() <= 255) {
            return line;
        }
        int end = Character.isHighSurrogate(line.charAt(251)) ? 251 : 252;
        return line.substring(0, end) + "...";
    }
}
