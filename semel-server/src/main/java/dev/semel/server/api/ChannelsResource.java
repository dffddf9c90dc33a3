package dev.semel.server.api;

import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.console.rest.RequestBody;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code /api/v1/channels/{name}}: messages. */
final class ChannelsResource {
    private final Semel semel;

    ChannelsResource(Semel semel) {
        this.semel = semel;
    }

    /** One message, or one in each line. */
    void messages(ApiRequest request, HttpServletResponse response, String name) throws ApiProblem, IOException {
        if (request.rawBody().type().equals(RequestBody.LINES)) {
            request.rawBody().demandUncompressed();
            new MessageLines(semel, request, name).send(response);
        } else {
            send(request, name).write(response);
        }
    }

    private ApiAnswer send(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        SentMessage message = SentMessage.read(body, request, request.ids().correlation());
        body.demandNoOther();
        MessageTarget target = request.settings().target(name);
        return message.accepted(target, target.send(semel, message.message()));
    }

    ApiAnswer find(ApiRequest request, String name) throws ApiProblem {
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
