package dev.semel.server.session;

import dev.semel.server.access.FailedAttempts;
import dev.semel.server.oidc.IdentityProvider;
import dev.semel.server.oidc.OidcSettings;
import dev.semel.time.TimeSource;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What logins leave in this process, across reloads of the configuration. Thread-safe. */
public final class LoginState {
    private final TimeSource time;
    private final Sessions sessions;
    private final OneTimeSecret oneTimeSecret;
    private final FailedAttempts failures;
    private @Nullable IdentityProvider provider;

    /** With the clock of this machine. */
    public LoginState() {
        this(TimeSource.system(), new SecureRandom());
    }

    LoginState(TimeSource time, RandomGenerator random) {
        this.time = time;
        this.sessions = new Sessions(time, random);
        this.oneTimeSecret = new OneTimeSecret(time, random);
        this.failures = new FailedAttempts(time);
    }

    Sessions sessions() {
        return sessions;
    }

    /** The secret for the first login; there is none until one is made. */
    public OneTimeSecret oneTimeSecret() {
        return oneTimeSecret;
    }

    FailedAttempts failures() {
        return failures;
    }

    /** The same one, with the keys that it knows, as long as its settings are the same. */
    synchronized IdentityProvider provider(OidcSettings settings) {
        IdentityProvider known = provider;
        if (known == null || !known.settings().equals(settings)) {
            known = IdentityProvider.open(settings, time);
            provider = known;
        }
        return known;
    }
}
