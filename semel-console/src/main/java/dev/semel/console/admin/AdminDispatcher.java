package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.console.access.Person;
import dev.semel.console.admin.AdminCall.AdminInput;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.EndpointTable.FoundEndpoint;
import dev.semel.console.rest.JsonBody;
import dev.semel.time.TimeSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers the requests of operators. The servlet calls it for requests by HTTP; the command line calls it for a store that it has opened
 * itself, so that both do the same. Thread-safe.
 */
public final class AdminDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(AdminDispatcher.class);

    private final AdminResources resources;
    private final ServerActions server;
    private final DeniedActions denials;

    public AdminDispatcher(AdminLedger ledger, ServerActions server) {
        this.resources = AdminResources.of(ledger, server);
        this.server = server;
        this.denials = new DeniedActions(ledger.operator(), TimeSource.system());
    }

    /** @throws ApiProblem when there is no such path or method */
    FoundEndpoint<AdminEndpoint> find(String method, @Nullable String path) throws ApiProblem {
        return AdminEndpoints.TABLE.find(method, path);
    }

    /** @throws ApiProblem when the person may not ask for it, or it cannot be done */
    AdminReply respond(FoundEndpoint<AdminEndpoint> found, Person person, AdminInput input) throws ApiProblem {
        denials.flush();
        try {
            TenantSight sight = new TenantSight(person, server.viewersSeePayloads());
            sight.demand(found.entry().role());
            AdminCall call = new AdminCall(found.entry().endpoint(), sight, found.values(), input);
            AdminReply reply = found.entry().handler().respond(resources, call);
            demandAllRead(call, reply);
            return reply;
        } catch (ApiProblem problem) {
            if (problem.code() == ApiCode.ACCESS_DENIED) {
                denied(found.entry(), person, problem);
            }
            throw problem;
        } catch (SemelException.Invalid e) {
            throw new ApiProblem(ApiCode.INVALID, String.valueOf(e.getMessage()));
        }
    }

    private static void demandAllRead(AdminCall call, AdminReply reply) {
        try {
            call.demandAllRead();
        } catch (IllegalStateException e) {
            if (reply instanceof AdminReply.ManyObjects many) {
                many.end().run();
            }
            throw e;
        }
    }

    /** Reading is denied silently: nothing came of it. */
    private void denied(AdminEndpoint endpoint, Person person, ApiProblem problem) {
        String what = endpoint.endpoint().method() + " " + endpoint.endpoint().path();
        LOG.warn("{} was denied {}: {}", person.actor(), what, problem.detail());
        if (!endpoint.endpoint().method().equals("GET")) {
            denials.denied(person, what, String.valueOf(problem.detail()));
        }
    }

    /** Writes what was counted and not yet written. */
    void close() {
        denials.close();
    }

    /**
     * For the command line.
     *
     * @param input parameters of a GET, members of the body of a POST
     * @throws ApiProblem as a client gets it
     */
    public Map<String, Object> ask(Person person, String method, String path, Map<String, ?> input) throws ApiProblem {
        boolean read = method.equals("GET");
        Map<String, String> parameters = new LinkedHashMap<>();
        if (read) {
            input.forEach((name, value) -> parameters.put(name, String.valueOf(value)));
        }
        JsonBody body = read ? null : new JsonBody(JsonMapper.shared().valueToTree(input));
        AdminReply reply = respond(find(method, path), person, new AdminInput(parameters, body, Stream.empty()));
        return ((AdminReply.OneObject) reply).members();
    }

    /** For the command line: sends lines. */
    public Map<String, Object> sendLines(Person person, String path, Stream<String> lines) throws ApiProblem {
        AdminReply reply = respond(find("POST", path), person, new AdminInput(Map.of(), null, lines));
        return ((AdminReply.OneObject) reply).members();
    }

    /** For the command line: reads many, one after the other. */
    public void readLines(Person person, String path, Map<String, String> parameters, Consumer<Map<String, Object>> out)
            throws ApiProblem {
        AdminReply.ManyObjects reply = (AdminReply.ManyObjects)
                respond(find("GET", path), person, new AdminInput(parameters, null, Stream.empty()));
        try {
            reply.source().accept(out);
        } finally {
            reply.end().run();
        }
    }
}
