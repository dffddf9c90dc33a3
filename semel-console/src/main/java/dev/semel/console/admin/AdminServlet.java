package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.console.access.AdminAccess;
import dev.semel.console.access.AdminAccess.AdminAuthentication;
import dev.semel.console.access.Person;
import dev.semel.console.admin.AdminCall.AdminInput;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.live.LiveLimits;
import dev.semel.console.live.LiveSource;
import dev.semel.console.live.LiveStreams;
import dev.semel.console.live.LiveStreams.StreamOwner;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.EndpointTable.FoundEndpoint;
import dev.semel.console.rest.JsonBody;
import dev.semel.console.rest.RequestBody;
import dev.semel.engine.Engine;
import dev.semel.http.shared.RequestIds;
import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Serves the API for operators. To be mapped to {@code /api/v1/admin/*}. Thread-safe. */
public final class AdminServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(AdminServlet.class);
    private static final int LARGEST_BODY = 64 << 10;
    private static final int LARGEST_LINE = 1 << 20;
    private static final Duration SOON = Duration.ofSeconds(5);

    private final transient AdminAccess access;
    private final transient AdminDispatcher dispatcher;
    private final transient LiveStreams streams;

    /** For an engine, whoever lets people in. */
    public AdminServlet(Engine engine, AdminAccess access, ServerActions server) {
        this(engine, access, server, new LiveStreams(TimeSource.system(), LiveLimits.USUAL));
    }

    AdminServlet(Engine engine, AdminAccess access, ServerActions server, LiveStreams streams) {
        this.access = access;
        this.streams = streams;
        this.dispatcher = new AdminDispatcher(AdminLedger.of(engine), server);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        try {
            Person person = authenticated(request);
            FoundEndpoint<AdminEndpoint> found = dispatcher.find(request.getMethod(), "/admin" + path(request));
            AdminReply reply = dispatcher.respond(found, person, input(request, found));
            if (reply instanceof AdminReply.LiveEvents live) {
                stream(request, response, person, live.source());
            } else if (reply instanceof AdminReply.ManyObjects many) {
                try {
                    write(response, found, reply);
                } finally {
                    many.end().run();
                }
            } else {
                write(response, found, reply);
            }
        } catch (ApiProblem problem) {
            problem.write(response, ids);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn("Request of an operator failed (correlation {}): the ledger failed", ids.correlation(), e);
            unavailable(e).write(response, ids);
        }
    }

    private void stream(HttpServletRequest request, HttpServletResponse response, Person person, LiveSource source)
            throws ApiProblem, IOException {
        StreamOwner owner = new StreamOwner(person.toString(), access.validity(request));
        switch (streams.open(owner, request, response, source)) {
            case OPENED -> LOG.debug("A stream of {} was opened.", person.name());
            case TOO_MANY_OF_PERSON -> throw tooMany("You have too many open streams of events: close other pages.");
            case TOO_MANY -> throw tooMany("Too many streams of events are open on this server.");
            case CLOSED ->
                throw new ApiProblem(ApiCode.STORE_UNAVAILABLE, "The server stops or reloads. Connect again.")
                        .retryAfter(SOON);
        }
    }

    private static ApiProblem tooMany(String detail) {
        return new ApiProblem(ApiCode.RATE_LIMITED, detail).retryAfter(SOON);
    }

    /** Ends all streams of events, and opens no more: clients reconnect to whatever comes after. */
    public void closeStreams() {
        streams.close();
    }

    /** As {@link #closeStreams}; and writes counts of denied requests that wait for the end of their minute. */
    @Override
    public void destroy() {
        closeStreams();
        dispatcher.close();
    }

    private static String path(HttpServletRequest request) {
        return request.getPathInfo() == null ? "" : request.getPathInfo();
    }

    private static ApiProblem unavailable(SemelException e) {
        String detail = e instanceof SemelException.OutcomeUnknown
                ? "The ledger did not answer: whether the action was carried out is unknown. Look at the record, then ask"
                        + " again; nothing is done twice."
                : "The ledger is unavailable. Nothing was done; repeat the same request.";
        return new ApiProblem(ApiCode.STORE_UNAVAILABLE, detail).retryAfter(SOON);
    }

    private Person authenticated(HttpServletRequest request) throws ApiProblem {
        AdminAuthentication result = access.authenticate(request);
        if (result instanceof AdminAuthentication.Known known) {
            return known.person();
        }
        if (result instanceof AdminAuthentication.Blocked blocked) {
            throw new ApiProblem(
                            ApiCode.RATE_LIMITED, "Too many requests without valid credentials came from this address.")
                    .retryAfter(blocked.retryAfter());
        }
        throw new ApiProblem(
                ApiCode.UNAUTHENTICATED,
                "The request is not authenticated: " + ((AdminAuthentication.Unknown) result).reason() + ".");
    }

    private static AdminInput input(HttpServletRequest request, FoundEndpoint<AdminEndpoint> found) throws ApiProblem {
        List<String> types = found.entry().endpoint().input().bodyTypes();
        RequestBody body = new RequestBody(request, LARGEST_BODY);
        if (!types.isEmpty()) {
            // Before parameters are read: those of a form would be taken from the body.
            body.demandType(types.get(0));
        }
        Map<String, String> parameters = parameters(request);
        String last = request.getHeader("Last-Event-ID");
        if (last != null && found.entry().endpoint().output().type().equals(RequestBody.EVENTS)) {
            parameters.put("cursor", last);
        }
        if (types.contains(RequestBody.LINES)) {
            return new AdminInput(parameters, null, new BodyLines(request, LARGEST_LINE).stream());
        }
        JsonBody object = types.isEmpty() ? null : body.object();
        return new AdminInput(parameters, object, Stream.empty());
    }

    /** Of the query alone: a form in the body is none of it. */
    private static Map<String, String> parameters(HttpServletRequest request) throws ApiProblem {
        Map<String, String> parameters = new LinkedHashMap<>();
        Map<String, String[]> given;
        try {
            given = request.getParameterMap();
        } catch (RuntimeException e) {
            throw new ApiProblem(ApiCode.INVALID, "The query cannot be read. Nothing was done.");
        }
        for (Map.Entry<String, String[]> each : given.entrySet()) {
            if (each.getValue().length != 1) {
                throw AdminCall.invalid(JsonBody.shown(each.getKey()), "is given more than once");
            }
            parameters.put(each.getKey(), each.getValue()[0]);
        }
        return parameters;
    }

    private static void write(HttpServletResponse response, FoundEndpoint<AdminEndpoint> found, AdminReply reply)
            throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setStatus(found.entry().endpoint().output().status());
        response.setContentType(found.entry().endpoint().output().type());
        if (reply instanceof AdminReply.OneObject one) {
            byte[] bytes = JsonMapper.shared().writeValueAsBytes(one.members());
            response.setContentLength(bytes.length);
            response.getOutputStream().write(bytes);
        } else {
            lines(response, (AdminReply.ManyObjects) reply);
        }
    }

    /** A failure on the way breaks the response off, so that a client does not take a part for the whole. */
    private static void lines(HttpServletResponse response, AdminReply.ManyObjects many) throws IOException {
        OutputStream out = new BufferedOutputStream(response.getOutputStream(), 32 << 10);
        try {
            many.source().accept(each -> {
                try {
                    out.write(JsonMapper.shared().writeValueAsBytes(each));
                    out.write('\n');
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            out.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (SemelException e) {
            if (!response.isCommitted()) {
                throw e;
            }
            throw new IOException("the ledger failed during an export", e);
        }
    }
}
