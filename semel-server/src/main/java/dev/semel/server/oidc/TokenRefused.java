package dev.semel.server.oidc;

import com.nimbusds.jwt.proc.BadJWTException;

/** A token is refused for a reason that may be shown: it has nothing of the token. */
final class TokenRefused extends BadJWTException {
    private static final long serialVersionUID = 1;

    private final String reason;

    TokenRefused(String reason) {
        super(reason);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
