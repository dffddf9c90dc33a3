package dev.semel.server.api;

import dev.semel.SemelException;
import dev.semel.console.access.AdminAccess.AdminAuthentication;
import dev.semel.console.access.Person;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.console.rest.RequestBody;
import dev.semel.http.shared.RequestIds;
import dev.semel.server.session.OperatorAccess;
import dev.semel.server.session.OperatorAccess.Examination;
import dev.semel.server.session.OperatorAccess.UsedSession;
import dev.semel.server.session.OperatorLogin;
import dev.semel.server.session.OperatorLogin.LoginOutcome;
import dev.semel.server.session.Session;
import dev.semel.server.session.Sessions.OpenedSession;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operators' sessions: POST logs in, GET tells who one is, DELETE logs out. To be mapped to {@code /api/v1/session}. Thread-safe.
 */
public final class SessionServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(SessionServlet.class);

    /** A token of an identity provider, and room for the JSON around it. */
    private static final int LARGEST_BODY = 12 << 10;

    private final transient OperatorAccess access;
    private final transient OperatorLogin login;

    public SessionServlet(OperatorAccess access) {
        this.access = access;
        this.login = new OperatorLogin(access);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        try {
            switch (request.getMethod()) {
                case "POST" -> logIn(request, response);
                case "GET" -> tell(request, response);
                case "DELETE" -> logOut(request, response);
                default ->
                    throw new ApiProblem(ApiCode.METHOD_NOT_ALLOWED, "Use GET, POST or DELETE.")
                            .allowing("GET, POST, DELETE");
            }
        } catch (ApiProblem problem) {
            problem.write(response, ids);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Login failed (correlation {}): it could not be written to the audit; nobody was let in",
                    ids.correlation(),
                    e);
            AnswerProblems.storeUnavailable().write(response, ids);
        }
    }

    private void logIn(HttpServletRequest request, HttpServletResponse response) throws ApiProblem, IOException {
        JsonBody body = new RequestBody(request, LARGEST_BODY).object();
        String secret = body.text("secret");
        boolean cookie = Boolean.TRUE.equals(body.bool("cookie"));
        body.demandNoOther();
        if (secret == null) {
            throw JsonBody.invalid("secret", "is missing");
        }
        LoginOutcome outcome = login.logIn(request, secret);
        if (outcome instanceof LoginOutcome.LoginDenied denied) {
            throw problem(denied.answer());
        }
        OpenedSession opened = ((LoginOutcome.LoggedIn) outcome).opened();
        LOG.info("Operator {} logged in from {}.", opened.session().person().name(), request.getRemoteAddr());
        ApiAnswer answer = described(opened.token(), opened.session());
        if (cookie) {
            login.setCookie(request, response, opened);
        } else {
            answer.with("token", opened.token());
        }
        answer.write(response);
    }

    private void tell(HttpServletRequest request, HttpServletResponse response) throws ApiProblem, IOException {
        Examination.Valid who = demandKnown(request);
        UsedSession used = who.session();
        (used == null ? described(who.person()) : described(used.token(), used.session())).write(response);
    }

    private void logOut(HttpServletRequest request, HttpServletResponse response) throws ApiProblem {
        Examination.Valid who = demandKnown(request);
        boolean everywhere = "true".equals(request.getParameter("everywhere"));
        UsedSession used = who.session();
        if (used == null && !everywhere) {
            throw new ApiProblem(
                    ApiCode.INVALID, "These credentials are not a session. To end all sessions: ?everywhere=true.");
        }
        if (everywhere) {
            LOG.info("Operator {} ended all sessions: {}.", who.person().name(), login.logOutEverywhere(who));
        } else if (used != null) {
            login.logOut(used);
        }
        login.removeCookie(request, response);
        response.setHeader("Cache-Control", "no-store");
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private Examination.Valid demandKnown(HttpServletRequest request) throws ApiProblem {
        Examination examined = access.examine(request);
        if (examined instanceof Examination.Valid valid) {
            return valid;
        }
        throw problem(access.deny(request, (Examination.Invalid) examined));
    }

    private static ApiProblem problem(AdminAuthentication answer) {
        if (answer instanceof AdminAuthentication.Blocked blocked) {
            return new ApiProblem(ApiCode.RATE_LIMITED, "Too many failed logins and requests came from this address.")
                    .retryAfter(blocked.retryAfter());
        }
        String reason = answer instanceof AdminAuthentication.Unknown unknown ? unknown.reason() : "";
        return new ApiProblem(ApiCode.UNAUTHENTICATED, "Rejected: " + reason + ".");
    }

    private static ApiAnswer described(Person person) {
        ApiAnswer answer = ApiAnswer.ok()
                .with("name", person.name())
                .with("role", person.role().code());
        return person.tenant() == null
                ? answer.with("all_tenants", true)
                : answer.with("tenant", person.tenant().name());
    }

    private ApiAnswer described(String token, Session session) {
        return described(session.person())
                .with("expires", login.end(session).toString())
                .with("csrf_token", OperatorLogin.csrfToken(token));
    }
}
