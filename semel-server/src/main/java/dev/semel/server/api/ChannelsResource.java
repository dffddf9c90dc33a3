package dev.semel.server.api;

import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.server.access.Scope;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /api/v1/channels/{name}}: messages. */
final class ChannelsResource {
    private final Semel semel;
    private final WorkResource work;

    ChannelsResource(Semel semel, WorkResource work) {
        this.semel = semel;
        this.work = work;
    }

    /** @param action the rest of the path; empty for the channel itself */
    void respond(ApiRequest request, HttpServletResponse response, String name, String action)
            throws ApiProblem, IOException {
        if (WorkResource.knows(action)) {
            work.respond(request, name, action).write(response);
            return;
        }
        switch (action) {
            case "" -> {
                request.demand(Scope.Right.SEND, name);
                request.demandMethod("GET");
                find(request, name).write(response);
            }
            case "messages" -> {
                request.demand(Scope.Right.SEND, name);
                request.demandMethod("POST");
                if (request.type().equals(ApiRequest.LINES)) {
                    request.demandUncompressed();
                    new MessageLines(semel, request, name).send(response);
                } else {
                    send(request, name).write(response);
                }
            }
            default -> throw ApiServlet.noSuchPath();
        }
    }

    private ApiAnswer send(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        SentMessage message = SentMessage.read(body, request, request.ids().correlation());
        body.demandNoOther();
        MessageTarget target = request.settings().target(name);
        return message.accepted(target, target.send(semel, message.message()));
    }

    private ApiAnswer find(ApiRequest request, String name) throws ApiProblem {
        String key = request.http().getParameter("key");
        if (key == null) {
            throw new ApiProblem(ApiCode.KEY_REQUIRED, "Name the message by the query parameter key: ?key=...");
        }
        return OperationsResource.status(semel.status(
                request.settings().target(name).operation(),
                request.caller().tenant(),
                Key.of(JsonBody.demandKey(key))));
    }
}
