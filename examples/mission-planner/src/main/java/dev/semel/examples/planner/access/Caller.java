package dev.semel.examples.planner.access;

import dev.semel.Tenant;
import java.security.Principal;

/**
 * Who calls, as the token says.
 *
 * @param perMinute how many writes the caller may send in a minute
 */
public record Caller(String organisation, String person, Role role, int perMinute) implements Principal {

    /** What somebody may do. */
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
