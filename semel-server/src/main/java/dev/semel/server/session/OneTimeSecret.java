package dev.semel.server.session;

import dev.semel.server.access.SecretDigest;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The secret that lets the first operator in. It can be used once. Only its SHA-256 is kept. Thread-safe. */
public final class OneTimeSecret {
    /** How long it can be used. */
    static final Duration VALID = Duration.ofHours(24);

    /** The session for which it is exchanged. */
    static final SessionLimits SESSION = new SessionLimits(Duration.ofHours(12), Duration.ofHours(12), 1, false);

    static final String PREFIX = "semel_once_";

    private final TimeSource time;
    private final RandomGenerator random;
    private @Nullable SecretDigest digest;
    private long made;

    OneTimeSecret(TimeSource time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    /** Makes a new one; the last one is not valid any more. The caller shows it once. */
    public synchronized String make() {
        String secret = RandomSecret.make(PREFIX, random);
        digest = SecretDigest.of(secret);
        made = time.nanos();
        return secret;
    }

    /** Uses it up; says whether this was it. */
    synchronized boolean take(String secret) {
        if (digest == null
                || time.nanos() - made >= VALID.toNanos()
                || !SecretDigest.of(secret).equals(digest)) {
            return false;
        }
        digest = null;
        return true;
    }

    /** It was taken and nobody was let in: it can be used again. */
    synchronized void restore(String secret) {
        if (digest == null) {
            digest = SecretDigest.of(secret);
        }
    }

    /** One line for the log that shows the secret and says what to do. */
    public static String instructions(String secret, URI server, boolean console) {
        return "No users are configured, so operators are let in from this machine only. One-time secret, valid once within "
                + VALID.toHours() + " h: " + secret + " - exchange it for a session of "
                + SESSION.longest().toHours() + " h: "
                + (console ? "open " + server.resolve("/console/") + " and enter it, or " : "") + "curl -X POST "
                + server.resolve("/api/v1/session")
                + " -H 'Content-Type: application/json' -d '{\"secret\": \"" + secret
                + "\"}' - then add users or an identity provider to the configuration: docs/security.md";
    }
}
