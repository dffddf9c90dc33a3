package dev.semel.server.session;

import dev.semel.console.access.AdminAccess.AdminAuthentication;
import dev.semel.server.session.OperatorAccess.Examination;
import dev.semel.server.session.OperatorAccess.UsedSession;
import dev.semel.server.session.SessionCookie.CookieText;
import dev.semel.server.session.Sessions.OpenedSession;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;

/** Opens and ends sessions. Thread-safe. */
public final class OperatorLogin {
    private final OperatorAccess access;

    public OperatorLogin(OperatorAccess access) {
        this.access = access;
    }

    /** The result of a login. */
    public sealed interface LoginOutcome {
        /** A session is open. */
        record LoggedIn(OpenedSession opened) implements LoginOutcome {}

        /**
         * Nobody was let in.
         *
         * @param answer unknown or blocked
         */
        record LoginDenied(AdminAuthentication answer) implements LoginOutcome {}
    }

    /**
     * Exchanges a secret of the file, a token of the identity provider, or the one-time secret for a session.
     *
     * @throws dev.semel.SemelException.StoreUnavailable when the login cannot be audited; then nobody is let in
     */
    public LoginOutcome logIn(HttpServletRequest request, String secret) {
        if (access.isHidden(request) || CsrfToken.isFromAnotherSite(request)) {
            return denied(request, "operators cannot log in from there");
        }
        return access.isLoopbackOnly() ? first(request, secret) : later(request, secret);
    }

    private LoginOutcome first(HttpServletRequest request, String secret) {
        if (!access.oneTimeSecret().take(secret)) {
            return denied(request, "the one-time secret is wrong, used or expired; restart the server for a new one");
        }
        try {
            return open(request, new Login.ByOneTimeSecret(), OneTimeSecret.SESSION);
        } catch (RuntimeException | Error e) {
            access.oneTimeSecret().restore(secret);
            throw e;
        }
    }

    private LoginOutcome later(HttpServletRequest request, String secret) {
        Examination examined = access.identify(secret);
        return examined instanceof Examination.Valid valid
                ? open(request, valid.login(), access.limits())
                : new LoginOutcome.LoginDenied(access.deny(request, (Examination.Invalid) examined));
    }

    /** The audit comes first: if this process dies between the two, there is an event too many and no session. */
    private LoginOutcome open(HttpServletRequest request, Login login, SessionLimits limits) {
        access.audit().login(request, login);
        return new LoginOutcome.LoggedIn(access.sessions().open(login, limits));
    }

    private LoginOutcome denied(HttpServletRequest request, String reason) {
        return new LoginOutcome.LoginDenied(access.deny(request, new Examination.Invalid(reason, true)));
    }

    /** Ends the session. */
    public void logOut(UsedSession used) {
        access.sessions().end(used.token());
    }

    /** Ends all sessions of this operator; returns how many there were. */
    public int logOutEverywhere(Examination.Valid who) {
        return access.sessions().endAll(who.login());
    }

    /** When a session ends at the latest. */
    public Instant end(Session session) {
        return access.sessions().end(session, access.limits());
    }

    /** What a page must send in the header X-CSRF-Token with each request that changes something. */
    public static String csrfToken(String sessionToken) {
        return CsrfToken.of(sessionToken);
    }

    /** Gives a browser the session. */
    public void setCookie(HttpServletRequest request, HttpServletResponse response, OpenedSession opened) {
        SessionCookie.write(
                request,
                response,
                access.limits(),
                new CookieText(opened.token(), access.sessions().left(opened.session(), access.limits())));
    }

    /** Takes the session from a browser. */
    public void removeCookie(HttpServletRequest request, HttpServletResponse response) {
        SessionCookie.write(request, response, access.limits(), CookieText.NONE);
    }
}
