package dev.semel.examples.planner.access;

import dev.semel.Tenant;
import java.security.Principal;

/**
 * The caller of a request, from its token.
 *
 * @param perMinute the rate limit: writes per minute
 */
public record Caller(String organisation, String person, Role role, int perMinute) implements Principal {

    /** The role of a caller. */
    public enum Role {
        READER,
        PLANNER
    }

    @Override
    public String getName() {
        return person;
    }

    public Tenant tenant() {
        return Tenant.of(organisation);
    }

    boolean mayWrite() {
        return role == Role.PLANNER;
    }
}
