package dev.semel.console.access;

import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;

/**
 * Who operates the server: the holder of a local token, of a token of an identity provider, or of a session.
 *
 * @param name as it is shown. Two people may have the same one, unless it is of the configuration file
 * @param tenant whose records exist for this person; null for those of all tenants
 * @param subject by which the identity provider tells people apart; null for others
 */
public record Person(
        String name,
        Role role,
        @Nullable Tenant tenant,
        @Nullable String subject) {
    private static final int LONGEST_ACTOR = 255;

    /** Somebody whose name is nobody else's. */
    public Person(String name, Role role, @Nullable Tenant tenant) {
        this(name, role, tenant, null);
    }

    /** As it is written into the audit: the name, and the subject where that is another. */
    public String actor() {
        if (subject == null || subject.equals(name)) {
            return name;
        }
        String behind = " (" + subject + ")";
        return name.substring(0, Math.max(0, Math.min(name.length(), LONGEST_ACTOR - behind.length()))) + behind;
    }

    /** Whether this person may do what a role allows to records of a tenant; null means of all tenants. */
    public boolean may(Role needed, @Nullable Tenant of) {
        return role.includes(needed) && (tenant == null || tenant.equals(of));
    }
}
