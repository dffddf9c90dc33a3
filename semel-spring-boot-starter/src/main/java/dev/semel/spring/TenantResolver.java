package dev.semel.spring;

import dev.semel.Tenant;
import java.util.Optional;

/**
 * The tenant of the calling thread, for requests and for {@link Idempotent} methods without a tenant expression. Declare a bean that
 * takes the tenant from the authentication, never from the caller's input. Without one the tenant is {@link Tenant#SINGLE}.
 */
@FunctionalInterface
public interface TenantResolver {
    /** Empty when the tenant is unknown: then a request is rejected, and a method does not run. */
    Optional<Tenant> current();
}
