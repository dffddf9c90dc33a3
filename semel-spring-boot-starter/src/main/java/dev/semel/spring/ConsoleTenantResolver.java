package dev.semel.spring;

import dev.semel.Tenant;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Whose records a person sees in the console. Declare a bean for an application with several tenants whose operators see all of them.
 * Without one it is the tenant of the {@link TenantResolver} bean; an application that declares neither has one tenant.
 */
@FunctionalInterface
public interface ConsoleTenantResolver {
    /** The tenant of the authenticated person who sent the request; empty for the records of all tenants. */
    Optional<Tenant> of(HttpServletRequest request);
}
