package dev.semel.server.access;

import dev.semel.Tenant;
import java.util.List;

/**
 * A bearer token as it is configured.
 *
 * @param name of the client, shown in the audit and in logs
 * @param secret what the client sends; never shown
 */
public record Token(String name, String secret, Tenant tenant, List<Scope> scopes) {
    public Token {
        scopes = List.copyOf(scopes);
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return "Token[" + name + ", tenant " + tenant + ", " + scopes + "]";
    }
}
