package dev.semel.spring;

import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;

/**
 * Says whose work the calling thread does: that of a request, and that of an {@link Idempotent} method which does not say it
 * itself. A bean of the application, which asks whoever authenticated the caller and never the caller; without one everything
 * belongs to {@link Tenant#SINGLE}.
 */
@FunctionalInterface
public interface TenantResolver {
    /** Nothing when the caller belongs to no tenant: then a request is refused, and a method is not run. */
    @Nullable
    Tenant current();
}
