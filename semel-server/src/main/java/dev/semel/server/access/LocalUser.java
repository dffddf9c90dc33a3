package dev.semel.server.access;

import dev.semel.Tenant;
import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator as configured in the file.
 *
 * @param name shown in the audit and in logs
 * @param secrets each of which this operator may send; several while one is replaced; never shown
 * @param tenant whose records exist for this operator; null for those of all tenants
 */
public record LocalUser(
        String name,
        List<String> secrets,
        Role role,
        @Nullable Tenant tenant) {
    /** More are not needed to replace one. */
    public static final int MOST_SECRETS = 8;

    public LocalUser {
        secrets = List.copyOf(secrets);
    }

    /** Who this is, once a secret was sent. */
    public Person person() {
        return new Person(name, role, tenant);
    }

    /** Without the secrets. */
    @Override
    public String toString() {
        return "LocalUser[" + name + ", " + role.code() + ", " + (tenant == null ? "all tenants" : "tenant " + tenant)
                + "]";
    }
}
