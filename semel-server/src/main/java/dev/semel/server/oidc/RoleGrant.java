package dev.semel.server.oidc;

import dev.semel.Tenant;
import dev.semel.console.access.Role;
import org.jspecify.annotations.Nullable;

/**
 * What a value of the role claim allows.
 *
 * @param value such as a group of the identity provider
 * @param tenant whose records; null for that of the tenant claim, or for all
 * @param allTenants whether for the records of all tenants
 */
public record RoleGrant(String value, Role role, @Nullable Tenant tenant, boolean allTenants) {}
