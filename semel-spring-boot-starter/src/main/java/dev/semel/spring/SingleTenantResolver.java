package dev.semel.spring;

import dev.semel.Tenant;
import java.util.Optional;

/** The resolver of an application that declares none: by this type the console knows that there is one tenant. */
final class SingleTenantResolver implements TenantResolver {
    @Override
    public Optional<Tenant> current() {
        return Optional.of(Tenant.SINGLE);
    }
}
