package dev.semel.server.api;

import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.Endpoint;
import dev.semel.server.access.Scope;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/**
 * An endpoint with what serves it.
 *
 * @param right that a token needs for the name in the path
 */
record ApiEndpoint(Endpoint endpoint, Scope.Right right, ApiHandler handler) {

    /** Answers a request of a caller who may ask for this. */
    @FunctionalInterface
    interface ApiHandler {
        /** @param values of the variable parts of the path; the first is the name of the operation or channel */
        void respond(ApiResources resources, ApiRequest request, HttpServletResponse response, List<String> values)
                throws ApiProblem, IOException;
    }
}
