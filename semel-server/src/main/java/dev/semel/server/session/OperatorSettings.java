package dev.semel.server.session;

import dev.semel.server.access.LocalUser;
import dev.semel.server.oidc.OidcSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may operate the server.
 *
 * @param oidc an identity provider; null for none
 * @param console whether the pages of the console are served
 * @param viewersSeePayloads whether people with the role viewer see payloads, results and answers of destinations, redacted
 */
public record OperatorSettings(
        List<LocalUser> users,
        @Nullable OidcSettings oidc,
        SessionLimits sessions,
        boolean console,
        boolean viewersSeePayloads) {
    /** Nobody is configured: this machine only, with a one-time secret. */
    public static final OperatorSettings NONE = new OperatorSettings(List.of(), null, SessionLimits.USUAL);

    /** With the console, and without payloads for viewers. */
    public OperatorSettings(List<LocalUser> users, @Nullable OidcSettings oidc, SessionLimits sessions) {
        this(users, oidc, sessions, true, false);
    }

    public OperatorSettings {
        users = List.copyOf(users);
    }

    /** Whether nobody is configured, so that operators are let in from this machine only. */
    public boolean isLoopbackOnly() {
        return users.isEmpty() && oidc == null;
    }
}
