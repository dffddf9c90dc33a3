package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Batches of messages that break off: what was stored is answered, and the last line says what was not. */
class BrokenBatchTest {
    private static String lines(int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(i -> "{\"key\":\"m-" + i + "\",\"payload\":" + i + "}\n")
                .collect(Collectors.joining());
    }

    private static List<JsonNode> answers(String body) {
        return body.lines()
                .filter(line -> line.startsWith("{"))
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();
    }

    private static void begin(Socket socket, int length) throws IOException {
        socket.setSoTimeout(60_000);
        write(
                socket,
                "POST /api/v1/channels/orders/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + ApiServer.ACME
                        + "\r\nContent-Type: application/x-ndjson\r\nContent-Length: " + length + "\r\n\r\n");
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Ends the request and reads the answers. */
    private static List<JsonNode> end(Socket socket) throws IOException {
        socket.shutdownOutput();
        return answers(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void linesBeforeABrokenConnectionAreStoredAndAnswered() throws IOException {
        try (ApiServer server = LedgerKind.SQLITE.start();
                Socket socket = new Socket("127.0.0.1", server.port())) {
            begin(socket, 1_000);
            write(socket, lines(1, 2) + "{\"key\":\"m-3\",");
            List<JsonNode> answers = end(socket);
            assertThat(answers).hasSize(3);
            assertThat(answers.subList(0, 2))
                    .allSatisfy(each ->
                            assertThat(each.path("outcome").asString("")).isEqualTo("accepted"));
            JsonNode last = answers.get(2);
            assertThat(last.path("code").asString("")).isEqualTo("request.body_incomplete");
            assertThat(last.path("incomplete").asBoolean(false)).isTrue();
            assertThat(last.path("detail").asString(""))
                    .contains("Line 3 and those behind it were not sent")
                    .doesNotContain("Nothing was done");
            assertThat(server.get(ApiServer.ACME, "/channels/orders?key=m-2").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void lastLineNamesTheLinesWhoseStorageIsUnknownWhenTheLedgerFails() throws IOException {
        try (PrivatePostgres postgres = PrivatePostgres.start();
                ApiServer server = ApiServer.on(postgres.url());
                Socket socket = new Socket("127.0.0.1", server.port())) {
            String first = lines(1, 500);
            String rest = lines(501, 503);
            begin(socket, first.length() + rest.length());
            write(socket, first);
            Await.until(
                    "the first commit",
                    () -> server.get(ApiServer.ACME, "/channels/orders?key=m-500")
                                    .status()
                            == 200);
            postgres.kill();
            write(socket, rest);
            List<JsonNode> answers = end(socket);
            assertThat(answers).hasSize(501);
            assertThat(answers.get(499).path("outcome").asString("")).isEqualTo("accepted");
            JsonNode last = answers.get(500);
            assertThat(last.path("code").asString("")).isEqualTo("idempotency.store_unavailable");
            assertThat(last.path("incomplete").asBoolean(false)).isTrue();
            assertThat(last.path("line").intValue()).isEqualTo(501);
            assertThat(last.path("detail").asString("")).contains("Whether lines 501 to 503 were stored is unknown");
        }
    }
}
