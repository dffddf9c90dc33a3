package dev.semel.server.session;

import java.time.Duration;

/**
 * Limits of operators' sessions.
 *
 * @param idle after which an unused session ends
 * @param longest after which every session ends
 * @param perUser sessions of one operator at once; a further one ends the oldest
 * @param secureCookies whether browsers reach this server by TLS although it does not serve TLS itself
 */
public record SessionLimits(Duration idle, Duration longest, int perUser, boolean secureCookies) {
    /** What holds when nothing is configured. */
    public static final SessionLimits USUAL =
            new SessionLimits(Duration.ofMinutes(30), Duration.ofHours(12), 10, false);
}
