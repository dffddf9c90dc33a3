package dev.semel.console.live;

import java.time.Duration;

/**
 * Limits of streams.
 *
 * @param perPerson open streams of one person, with those whose pages were just left: that is noticed with the next heartbeat
 * @param all open streams of everybody
 * @param heartbeat after which a stream without events sends a comment, so that proxies keep the connection
 * @param slowest how long bytes may wait for a client before it is disconnected
 * @param longest after which a stream ends; clients open the next one, with their credentials
 */
public record LiveLimits(int perPerson, int all, Duration heartbeat, Duration slowest, Duration longest) {
    /** What holds unless a test says otherwise. */
    public static final LiveLimits USUAL =
            new LiveLimits(20, 100, Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofMinutes(30));
}
