package dev.semel.console.admin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An open stream of server-sent events. */
record EventStream(HttpResponse<InputStream> http, BufferedReader in) {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    static EventStream open(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = CLIENT.send(
                request.header("Accept", "text/event-stream").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        return new EventStream(
                response, new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8)));
    }

    int status() {
        return http.statusCode();
    }

    /** The lines of the next event; comments and the pause for reconnecting are none. */
    List<String> next() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.isEmpty() && !lines.isEmpty()) {
                return lines;
            }
            if (!line.isEmpty() && !line.startsWith(":") && !line.startsWith("retry:")) {
                lines.add(line);
            }
        }
        throw new IOException("the stream has ended: " + lines);
    }

    JsonNode data() throws IOException {
        String data = next().stream()
                .filter(line -> line.startsWith("data: "))
                .findFirst()
                .orElseThrow();
        return JsonMapper.shared().readTree(data.substring("data: ".length()));
    }
}
