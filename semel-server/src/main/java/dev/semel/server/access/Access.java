package dev.semel.server.access;

import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authenticates requests by their bearer token. Thread-safe. */
public final class Access {
    private static final Logger LOG = LoggerFactory.getLogger(Access.class);

    private final Tokens tokens;
    private final FailedAttempts failures;

    /** With the clock of this machine. */
    public Access(Tokens tokens) {
        this(tokens, TimeSource.system());
    }

    Access(Tokens tokens, TimeSource time) {
        this.tokens = tokens;
        this.failures = new FailedAttempts(time);
    }

    /** The result of an authentication. */
    public sealed interface Authentication {
        /** The token is one of ours. */
        record Authenticated(Caller caller) implements Authentication {}

        /** There is no token, or not one of ours. */
        record Unauthenticated() implements Authentication {}

        /** As {@link Unauthenticated}, and this address has sent too many of them. */
        record TooManyFailures(Duration retryAfter) implements Authentication {}
    }

    /** Whether a request with these Authorization headers would be authenticated. Nothing is counted. */
    public boolean knows(List<String> authorization) {
        return authorization.size() == 1 && tokens.find(authorization.get(0)) != null;
    }

    /** Who sent the request. */
    public Authentication authenticate(HttpServletRequest request) {
        List<String> headers = Collections.list(request.getHeaders("Authorization"));
        Caller caller = tokens.find(headers.size() == 1 ? headers.get(0) : null);
        if (caller != null) {
            return new Authentication.Authenticated(caller);
        }
        Duration wait = failures.count(request.getRemoteAddr());
        LOG.debug(
                "Unauthenticated request from {}: {}",
                request.getRemoteAddr(),
                headers.size() == 1 ? "unknown token" : "no token");
        return wait == null ? new Authentication.Unauthenticated() : new Authentication.TooManyFailures(wait);
    }
}
