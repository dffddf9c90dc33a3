package dev.semel.server.oidc;

import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import dev.semel.time.TimeSource;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Issuer, audience and times of a token, by the clock of this server. */
final class TokenChecks extends DefaultJWTClaimsVerifier<SecurityContext> {
    private final String issuer;
    private final Set<String> audiences;
    private final TimeSource time;

    TokenChecks(OidcSettings settings, TimeSource time) {
        super(new HashSet<>(settings.audiences()), null, Set.of("iss", "exp"), null);
        setMaxClockSkew((int) settings.tolerance().toSeconds());
        this.issuer = settings.provider().issuer();
        this.audiences = Set.copyOf(settings.audiences());
        this.time = time;
    }

    @Override
    protected Date currentTime() {
        return new Date(time.millis());
    }

    @Override
    public void verify(JWTClaimsSet claims, @Nullable SecurityContext context) throws BadJWTException {
        if (!issuer.equals(claims.getIssuer())) {
            throw new TokenRefused("the token is of another issuer");
        }
        if (Collections.disjoint(claims.getAudience(), audiences)) {
            throw new TokenRefused("the token is for another audience");
        }
        if (claims.getExpirationTime() == null) {
            throw new TokenRefused("the token has no expiration time");
        }
        super.verify(claims, context);
    }
}
