package dev.semel.http;

import dev.semel.Tenant;
import java.util.Optional;

/**
 * The scope of an idempotency key: equal keys of two scopes are different keys.
 *
 * @param principal the caller within the tenant; empty when all callers of the tenant share one scope
 * @param issuer the issuer of the principal, where there are several: the same name from two issuers is two principals
 */
public record KeyScope(Tenant tenant, Optional<String> principal, Optional<String> issuer) {
    /** One scope for all callers of the tenant. */
    public static KeyScope of(Tenant tenant) {
        return new KeyScope(tenant, Optional.empty(), Optional.empty());
    }

    /** A scope for each principal of the tenant. */
    public static KeyScope of(Tenant tenant, String principal) {
        return new KeyScope(tenant, Optional.of(principal), Optional.empty());
    }

    /** Keeps principals of the same name apart when they come from different issuers. */
    public KeyScope withIssuer(String value) {
        return new KeyScope(tenant, principal, Optional.of(value));
    }
}
