package dev.semel.server.session;

import dev.semel.console.access.AdminAccess;
import dev.semel.console.access.Person;
import dev.semel.server.access.LocalRequest;
import dev.semel.server.access.LocalUsers;
import dev.semel.server.access.LocalUsers.UserSecret;
import dev.semel.server.oidc.IdentityProvider;
import dev.semel.server.oidc.IdentityProvider.Verification;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets operators in by one of these, in this order: a bearer token (a session's, a secret of the file, or a token of the identity
 * provider), or the cookie of a session. While nobody is configured: from this machine only, by the session of the one-time secret.
 * Thread-safe.
 */
public final class OperatorAccess implements AdminAccess {
    private static final Logger LOG = LoggerFactory.getLogger(OperatorAccess.class);
    private static final String AUTOMATIC = "X-Semel-Automatic";
    private static final Pattern BEARER =
            Pattern.compile("(?i)bearer +([A-Za-z0-9._~+/=-]{1," + IdentityProvider.LONGEST_TOKEN + "})");

    private final OperatorSettings settings;
    private final LoginState state;
    private final OperatorAudit audit;
    private final LocalUsers users;
    private final @Nullable IdentityProvider provider;

    /** @throws dev.semel.SemelException.Misconfigured naming all faults of the users */
    public OperatorAccess(OperatorSettings settings, LoginState state, OperatorAudit audit) {
        this.settings = settings;
        this.state = state;
        this.audit = audit;
        this.users = LocalUsers.of(settings.users());
        this.provider = settings.oidc() == null ? null : state.provider(settings.oidc());
    }

    /** What the credentials of a request say. */
    public sealed interface Examination {
        /**
         * They are valid.
         *
         * @param session the one that was used; null when it was none
         */
        record Valid(Login login, @Nullable UsedSession session) implements Examination {
            /** Whose they are. */
            public Person person() {
                return login.person();
            }
        }

        /**
         * They are not valid, or there are none.
         *
         * @param attempt whether somebody tried to get in, which is counted and audited
         */
        record Invalid(String reason, boolean attempt) implements Examination {}
    }

    /**
     * A session, with the token that was sent for it.
     *
     * @param byCookie whether a cookie carried it
     */
    public record UsedSession(String token, Session session, boolean byCookie) {
        /** Without the token. */
        @Override
        public String toString() {
            return "UsedSession[" + session.person() + "]";
        }
    }

    /** Whether a request must not see that there is anything for operators: nobody is configured, and it is not of this machine. */
    public boolean isHidden(HttpServletRequest request) {
        return settings.isLoopbackOnly() && !LocalRequest.isLocal(request);
    }

    SessionLimits limits() {
        return settings.sessions();
    }

    Sessions sessions() {
        return state.sessions();
    }

    OneTimeSecret oneTimeSecret() {
        return state.oneTimeSecret();
    }

    boolean isLoopbackOnly() {
        return settings.isLoopbackOnly();
    }

    OperatorAudit audit() {
        return audit;
    }

    @Override
    public AdminAuthentication authenticate(HttpServletRequest request) {
        Examination examined = examine(request);
        return examined instanceof Examination.Valid valid
                ? new AdminAuthentication.Known(valid.person())
                : deny(request, (Examination.Invalid) examined);
    }

    @Override
    public BooleanSupplier validity(HttpServletRequest request) {
        return () -> examine(request, true) instanceof Examination.Valid;
    }

    /** Counts and audits a failed attempt. Valid credentials are accepted from an address however many of its attempts have failed. */
    public AdminAuthentication deny(HttpServletRequest request, Examination.Invalid why) {
        if (why.attempt) {
            LOG.debug("Unauthenticated operator's request from {}: {}", request.getRemoteAddr(), why.reason);
            audit.denied(request, null, why.reason);
            Duration wait = state.failures().count(request.getRemoteAddr());
            if (wait != null) {
                return new AdminAuthentication.Blocked(wait);
            }
        }
        return new AdminAuthentication.Unknown(why.reason);
    }

    /** Looks at the credentials of a request, and at nothing else of it. */
    public Examination examine(HttpServletRequest request) {
        return examine(request, isAutomatic(request));
    }

    private Examination examine(HttpServletRequest request, boolean look) {
        if (isHidden(request)) {
            return failed("no users are configured, so operators are let in from the server's machine only");
        }
        List<String> headers = Collections.list(request.getHeaders("Authorization"));
        if (headers.isEmpty()) {
            String token = SessionCookie.read(request, settings.sessions());
            return token == null
                    ? new Examination.Invalid("there are no credentials", false)
                    : session(request, token, new SessionUse(true, look));
        }
        Matcher bearer = BEARER.matcher(headers.get(0));
        if (headers.size() > 1 || !bearer.matches()) {
            return failed("Authorization is not one bearer token");
        }
        String token = bearer.group(1);
        return Sessions.isToken(token) ? session(request, token, new SessionUse(false, look)) : identify(token);
    }

    /**
     * How a session's token came.
     *
     * @param look whether this does not count as use of the session
     */
    private record SessionUse(boolean byCookie, boolean look) {}

    private Examination session(HttpServletRequest request, String token, SessionUse use) {
        Session session = use.look
                ? state.sessions().look(token, settings.sessions())
                : state.sessions().use(token, settings.sessions());
        if (session == null || !stillHolds(session.login(), request)) {
            if (session != null) {
                state.sessions().end(token);
            }
            return failed("the session is unknown, or has expired or ended");
        }
        String problem = use.byCookie ? CsrfToken.problem(request, token) : null;
        return problem == null
                ? new Examination.Valid(session.login(), new UsedSession(token, session, use.byCookie))
                : failed(problem);
    }

    /** A page that reads or reconnects by itself is not somebody who uses the session. */
    private static boolean isAutomatic(HttpServletRequest request) {
        String accepted = request.getHeader("Accept");
        return request.getHeader(AUTOMATIC) != null || accepted != null && accepted.contains("text/event-stream");
    }

    /** A secret that was removed, a changed role, another provider: the session ends with what it rests on. */
    private boolean stillHolds(Login login, HttpServletRequest request) {
        if (login instanceof Login.BySecret local) {
            return users.has(local.secret());
        }
        if (login instanceof Login.ByProvider foreign) {
            return foreign.settings().equals(settings.oidc());
        }
        return settings.isLoopbackOnly() && LocalRequest.isLocal(request);
    }

    /** Whose secret or token this is. */
    Examination identify(String secret) {
        UserSecret local = users.find(secret);
        if (local != null) {
            return new Examination.Valid(new Login.BySecret(local), null);
        }
        if (provider == null || !IdentityProvider.isToken(secret)) {
            return failed("the secret or token is unknown");
        }
        Verification verification = provider.verify(secret);
        if (verification instanceof Verification.Verified verified) {
            return users.isName(verified.person().name())
                    ? failed("the token names somebody who is a user of the configuration file")
                    : new Examination.Valid(
                            new Login.ByProvider(verified.person(), provider.settings(), verified.expires()), null);
        }
        return verification instanceof Verification.Refused refused
                ? failed(refused.reason())
                : new Examination.Invalid(
                        "the token cannot be verified now: the identity provider cannot be reached; retry later",
                        false);
    }

    private static Examination failed(String reason) {
        return new Examination.Invalid(reason, true);
    }
}
