package dev.semel.spring;

import dev.semel.Tenant;

/**
 * Says whose work the calling thread does, where an {@link Idempotent} method does not say it itself. A bean of the
 * application; without one everything belongs to {@link Tenant#SINGLE}.
 */
@FunctionalInterface
public interface TenantResolver {
    Tenant current();
}
