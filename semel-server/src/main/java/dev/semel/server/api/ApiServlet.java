package dev.semel.server.api;

import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.EndpointTable;
import dev.semel.engine.Engine;
import dev.semel.http.shared.RequestIds;
import dev.semel.server.access.Access;
import dev.semel.server.access.Access.Authentication;
import dev.semel.worker.ExternalClaims;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the API. To be mapped to {@code /api/v1/*}. Thread-safe. */
public final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(ApiServlet.class);

    private final transient Access access;
    private final transient ApiSettings settings;
    private final transient ApiResources resources;

    /** With {@link ApiSettings#DEFAULT}. */
    public ApiServlet(Semel semel, Access access) {
        this(semel, access, ApiSettings.DEFAULT);
    }

    /** @throws SemelException.Invalid when this is not Semel's own implementation */
    public ApiServlet(Semel semel, Access access, ApiSettings settings) {
        Engine engine = Engine.behind(semel)
                .orElseThrow(() -> new SemelException.Invalid(
                        semel.getClass().getName() + " is not an engine of Semel: open one with Semel.open."));
        WaitingRequests waiting = new WaitingRequests(settings.waiting());
        this.access = access;
        this.settings = settings;
        ExternalClaims claims = engine.externalClaims();
        settings.channels().keySet().forEach(name -> claims.know(settings.channel(name)));
        this.resources = new ApiResources(
                new OperationsResource(semel, engine.externalRuns(), waiting),
                new StepsResource(engine.externalRuns().steps()),
                new ChannelsResource(semel),
                new WorkResource(claims, waiting));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        try {
            respond(new ApiRequest(request, authenticated(request), ids, settings), response);
        } catch (ApiProblem problem) {
            if (hasUnreadBody(request)) {
                response.setHeader("Connection", "close");
            }
            problem.write(response, ids);
        } catch (SemelException.Invalid e) {
            AnswerProblems.rejected(e).write(response, ids);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "API request failed (correlation {}): the ledger failed; the client may retry",
                    ids.correlation(),
                    e);
            AnswerProblems.storeUnavailable().write(response, ids);
        }
    }

    /** The server closes the connection of a request whose body it has not read, because it does not wait for the rest. */
    private static boolean hasUnreadBody(HttpServletRequest request) throws IOException {
        boolean hasBody = request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
        return hasBody && !request.getInputStream().isFinished();
    }

    private dev.semel.server.access.Caller authenticated(HttpServletRequest request) throws ApiProblem {
        Authentication result = access.authenticate(request);
        if (result instanceof Authentication.Authenticated known) {
            return known.caller();
        }
        if (result instanceof Authentication.TooManyFailures many) {
            throw new ApiProblem(
                            ApiCode.RATE_LIMITED,
                            "Too many requests with a missing or unknown token came from this address.")
                    .retryAfter(many.retryAfter());
        }
        throw new ApiProblem(ApiCode.UNAUTHENTICATED, "Send a token of this server: Authorization: Bearer <token>.");
    }

    private void respond(ApiRequest request, HttpServletResponse response) throws ApiProblem, IOException {
        EndpointTable.FoundEndpoint<ApiEndpoint> found = ApiEndpoints.TABLE.find(
                request.http().getMethod(), request.http().getPathInfo());
        request.demand(found.entry().right(), found.values().get(0));
        found.entry().handler().respond(resources, request, response, found.values());
    }
}
