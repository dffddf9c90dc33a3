package dev.semel.server.api;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.console.rest.RequestBody;
import dev.semel.http.shared.RequestIds;
import dev.semel.key.Identity;
import dev.semel.server.access.Caller;
import dev.semel.server.access.Scope;
import dev.semel.server.routing.ServerChannels;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** An authenticated request. */
record ApiRequest(HttpServletRequest http, Caller caller, RequestIds ids, ApiSettings settings) {
    private static final int SHORTEST_ID = 16;

    /**
     * The channels of sources and destinations are the server's own: what comes by them was signed by a sender, or is signed for a
     * destination.
     *
     * @throws ApiProblem when no scope of the token allows it; the same whether or not anything of that name exists
     */
    void demand(Scope.Right right, String name) throws ApiProblem {
        if (!caller.may(right, name) || ServerChannels.isReserved(name)) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED,
                    "This token does not have the scope " + right.code() + " for this name. Nothing was done.");
        }
    }

    RequestBody rawBody() {
        return new RequestBody(http, settings.largestBody());
    }

    /** The JSON object of the body. */
    JsonBody body() throws ApiProblem {
        return rawBody().object();
    }

    /**
     * An id by which a repeated request is recognised, as the engine gets it: another one for each token, so that two clients of a tenant
     * that choose the same id do not get each other's grants. Clients that share a token are kept apart by its length alone: a short one is
     * a counter or a name, which another client chooses, too.
     *
     * @param field of the body
     */
    @Nullable
    String repetitionId(JsonBody body, String field) throws ApiProblem {
        String chosen = body.token(field);
        if (chosen != null && chosen.length() < SHORTEST_ID) {
            throw new ApiProblem(
                    ApiCode.INVALID,
                    "\"" + field + "\" must be a random id of " + SHORTEST_ID
                            + " to 128 visible ASCII characters, such as a UUID, for each request another one. Nothing was done.");
        }
        return chosen == null
                ? null
                : Identity.of(caller.tenant(), "token " + caller.name(), Key.of(chosen))
                        .id()
                        .hex();
    }

    /** Who asked, as the audit shows it. */
    Call.Origin origin() {
        Call.Origin origin = Call.Origin.UNSTATED
                .withCorrelationId(ids.correlation())
                .withRequestId(ids.request())
                .withActor(caller.name(), "service")
                .withSource("api");
        return ids.trace() == null ? origin : origin.withTraceId(ids.trace());
    }
}
