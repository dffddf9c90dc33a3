package dev.semel.server.access;

import dev.semel.Tenant;
import java.util.List;

/**
 * Who sent a request: the holder of a token.
 *
 * @param name of the token, as it is shown in the audit
 * @param tenant whose records it sees; nothing of another tenant exists for it
 */
public record Caller(String name, Tenant tenant, List<Scope> scopes) {
    public Caller {
        scopes = List.copyOf(scopes);
    }

    /** Whether one of its scopes allows this for the operation or channel of this name. */
    public boolean may(Scope.Right right, String operation) {
        return scopes.stream().anyMatch(scope -> scope.allows(right, operation));
    }
}
