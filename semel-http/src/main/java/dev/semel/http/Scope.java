package dev.semel.http;

import dev.semel.Tenant;
import java.util.Optional;

/**
 * Whose keys a request's key is among: equal keys of two scopes never meet.
 *
 * @param principal who asks within the tenant; absent when a tenant's callers share their keys
 * @param issuer who vouches for the principal, where several do: the same name of two issuers are two principals
 */
public record Scope(Tenant tenant, Optional<String> principal, Optional<String> issuer) {
    public static Scope of(Tenant tenant) {
        return new Scope(tenant, Optional.empty(), Optional.empty());
    }

    public static Scope of(Tenant tenant, String principal) {
        return new Scope(tenant, Optional.of(principal), Optional.empty());
    }

    public Scope withIssuer(String value) {
        return new Scope(tenant, principal, Optional.of(value));
    }
}
