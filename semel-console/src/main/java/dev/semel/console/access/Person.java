package dev.semel.console.access;

import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;

/**
 * Who operates the server: the holder of a local token, of a token of an identity provider, or of a session.
 *
 * @param name as it is written into the audit
 * @param tenant whose records exist for this person; null for those of all tenants
 */
public record Person(String name, Role role, @Nullable Tenant tenant) {
    /** Whether this person may do what a role allows to records of a tenant; null means of all tenants. */
    public boolean may(Role needed, @Nullable Tenant of) {
        return role.includes(needed) && (tenant == null || tenant.equals(of));
    }
}
