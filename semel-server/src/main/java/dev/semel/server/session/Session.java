package dev.semel.server.session;

import dev.semel.console.access.Person;
import java.time.Duration;

/**
 * A session of an operator.
 *
 * @param began by the monotonic clock
 * @param used the last time, by the monotonic clock
 * @param limits under which it was opened; shorter ones that are configured later hold as well
 */
public record Session(Login login, long began, long used, SessionLimits limits) {
    /** Whose it is. */
    public Person person() {
        return login.person();
    }

    boolean isOver(long now, SessionLimits present) {
        Duration idle = login instanceof Login.ByOneTimeSecret ? limits.idle() : shorter(limits.idle(), present.idle());
        return now - used >= idle.toNanos() || left(now, present).compareTo(Duration.ZERO) <= 0;
    }

    /** Until it ends at the latest; zero or negative when it has. */
    Duration left(long now, SessionLimits present) {
        Duration longest = login instanceof Login.ByOneTimeSecret
                ? limits.longest()
                : shorter(limits.longest(), present.longest());
        return longest.minusNanos(now - began);
    }

    Session usedAt(long now) {
        return new Session(login, began, now, limits);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
