package dev.semel.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.console.access.Person;
import dev.semel.server.oidc.OidcSettings.ClaimMapping;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes a person of the claims of a token whose signature was verified. */
final class ClaimReader {
    /** Nothing that a terminal, a log line or a page could take for something else. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N} ._@|:+/='~-]{0,199}");

    private final ClaimMapping mapping;
    private final ClaimPath name;
    private final ClaimPath roles;
    private final @Nullable ClaimPath tenant;

    ClaimReader(ClaimMapping mapping) {
        this.mapping = mapping;
        this.name = ClaimPath.of(mapping.name());
        this.roles = ClaimPath.of(mapping.roles());
        this.tenant = mapping.tenant() == null ? null : ClaimPath.of(mapping.tenant());
    }

    /** @throws TokenRefused when the claims name nobody, or somebody who may do nothing here */
    Person person(JWTClaimsSet claims) throws TokenRefused {
        String who = name.text(claims);
        if (who == null || !NAME.matcher(who).matches()) {
            throw new TokenRefused("the token has no usable name in the claim " + mapping.name());
        }
        Set<String> values = new HashSet<>(roles.texts(claims));
        for (RoleGrant grant : mapping.grants()) {
            if (values.contains(grant.value())) {
                return new Person(who, grant.role(), grant.allTenants() ? null : tenant(grant, claims));
            }
        }
        throw new TokenRefused("no value of the claim " + mapping.roles() + " has a role here");
    }

    private Tenant tenant(RoleGrant grant, JWTClaimsSet claims) throws TokenRefused {
        if (grant.tenant() != null) {
            return grant.tenant();
        }
        String text = tenant == null ? null : tenant.text(claims);
        try {
            if (text != null) {
                return Tenant.of(text);
            }
        } catch (SemelException.Invalid e) {
            throw new TokenRefused("the token has no usable tenant in the claim " + mapping.tenant());
        }
        throw new TokenRefused("the token has no tenant in the claim " + mapping.tenant());
    }
}
