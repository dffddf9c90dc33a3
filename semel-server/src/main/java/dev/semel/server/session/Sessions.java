package dev.semel.server.session;

import dev.semel.server.access.SecretDigest;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of this process, in memory. Only the SHA-256 of their tokens is kept. They survive a reload of the configuration, and end
 * with the process. Thread-safe.
 */
public final class Sessions {
    /** Of all operators; a further one ends the oldest. */
    static final int MOST = 10_000;

    /** How a session's token begins. */
    static final String PREFIX = "semel_session_";

    private final TimeSource time;
    private final RandomGenerator random;
    private final Map<SecretDigest, Session> sessions = new LinkedHashMap<>();

    Sessions(TimeSource time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    /**
     * A session that was just opened.
     *
     * @param token what its holder sends; it is not kept anywhere else
     */
    public record OpenedSession(String token, Session session) {
        /** Without the token. */
        @Override
        public String toString() {
            return "OpenedSession[" + session.person() + "]";
        }
    }

    static boolean isToken(String text) {
        return text.startsWith(PREFIX);
    }

    /** Opens a session. It ends with the token of the identity provider that it rests on, if it does on one. */
    synchronized OpenedSession open(Login login, SessionLimits limits) {
        long now = time.nanos();
        SessionLimits own = limits;
        if (login instanceof Login.ByProvider provider) {
            Duration left = Duration.between(Instant.ofEpochMilli(time.millis()), provider.expires());
            Duration longest = left.compareTo(limits.longest()) < 0 ? left : limits.longest();
            own = new SessionLimits(limits.idle(), longest, limits.perUser(), limits.secureCookies());
        }
        sessions.values().removeIf(each -> each.isOver(now, limits));
        makeRoom(login.owner(), limits.perUser());
        String token = RandomSecret.make(PREFIX, random);
        Session session = new Session(login, now, now, own);
        sessions.put(SecretDigest.of(token), session);
        return new OpenedSession(token, session);
    }

    private void makeRoom(String owner, int perUser) {
        long own = sessions.values().stream()
                .filter(each -> each.login().owner().equals(owner))
                .count();
        Iterator<Session> oldestFirst = sessions.values().iterator();
        while (own >= perUser && oldestFirst.hasNext()) {
            if (oldestFirst.next().login().owner().equals(owner)) {
                oldestFirst.remove();
                own--;
            }
        }
        if (sessions.size() >= MOST) {
            sessions.remove(sessions.keySet().iterator().next());
        }
    }

    /** The session of a token, which counts as a use of it; null when there is none, or it has ended. */
    synchronized @Nullable Session use(String token, SessionLimits limits) {
        long now = time.nanos();
        SecretDigest digest = SecretDigest.of(token);
        Session session = sessions.get(digest);
        if (session == null) {
            return null;
        }
        if (session.isOver(now, limits)) {
            sessions.remove(digest);
            return null;
        }
        Session used = session.usedAt(now);
        sessions.put(digest, used);
        return used;
    }

    /** As {@link #use}, which this is not. */
    synchronized @Nullable Session look(String token, SessionLimits limits) {
        Session session = sessions.get(SecretDigest.of(token));
        return session == null || session.isOver(time.nanos(), limits) ? null : session;
    }

    /** Ends the session of a token, if there is one. */
    synchronized void end(String token) {
        sessions.remove(SecretDigest.of(token));
    }

    /** Ends all sessions of whoever logged in like this; returns how many there were. */
    synchronized int endAll(Login login) {
        int before = sessions.size();
        sessions.values().removeIf(each -> each.login().owner().equals(login.owner()));
        return before - sessions.size();
    }

    /** Until it ends at the latest. */
    Duration left(Session session, SessionLimits limits) {
        return session.left(time.nanos(), limits);
    }

    /** When it ends at the latest, by the wall clock. */
    Instant end(Session session, SessionLimits limits) {
        return Instant.ofEpochMilli(time.millis()).plus(left(session, limits));
    }

    synchronized int count() {
        return sessions.size();
    }
}
