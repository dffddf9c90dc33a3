package dev.semel.server.oidc;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An identity provider whose tokens operators may send.
 *
 * @param audiences one of which a token must be for
 * @param algorithms by which tokens may be signed; asymmetric ones only
 * @param tolerance by which the provider's clock may differ from this server's
 */
public record OidcSettings(
        ProviderAddress provider,
        List<String> audiences,
        Set<String> algorithms,
        Duration tolerance,
        ClaimMapping claims) {

    /** Asymmetric algorithms. With a symmetric one whoever can verify a token could make one. */
    public static final List<String> ALGORITHMS =
            List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

    /** What most providers sign with. */
    public static final List<String> USUAL_ALGORITHMS = List.of("RS256", "PS256", "ES256");

    public OidcSettings {
        audiences = List.copyOf(audiences);
        algorithms = Set.copyOf(algorithms);
        if (audiences.isEmpty() || algorithms.isEmpty() || !ALGORITHMS.containsAll(algorithms)) {
            throw new IllegalArgumentException("an audience and one of " + ALGORITHMS + " are required");
        }
    }

    /**
     * Where the provider is.
     *
     * @param issuer as its tokens name it
     * @param jwksUrl of its keys; null to look it up below the issuer
     * @param loopbackHttp whether plain HTTP to this machine is allowed
     */
    public record ProviderAddress(String issuer, @Nullable URI jwksUrl, boolean loopbackHttp) {}

    /**
     * How the claims of a token become a name, a role and a tenant. A claim is a name, or a JSON pointer to one inside of others.
     *
     * @param name claim with the name for the audit
     * @param roles claim with the values that are looked up in the grants: a list, or one text with spaces
     * @param tenant claim with the tenant, for grants that name none; null when all name one
     * @param grants the first one whose value a token has is used
     */
    public record ClaimMapping(
            String name, String roles, @Nullable String tenant, List<RoleGrant> grants) {
        public ClaimMapping {
            grants = List.copyOf(grants);
        }
    }
}
