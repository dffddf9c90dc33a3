package dev.semel.server.api;

import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.console.rest.RequestBody;
import dev.semel.console.rest.StrictJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A body of many messages, one JSON object a line. Lines are read as they arrive and sent in commits of many; each gets a line of the
 * response, in the same order. The response begins when the request has ended: a client may write all of it before it reads. If the
 * body breaks off or is too long, or the ledger fails, every line that was stored before has its answer, and the last line, marked as
 * incomplete, says why the rest has none.
 */
final class MessageLines {
    private static final Logger LOG = LoggerFactory.getLogger(MessageLines.class);
    private static final int COMMIT = 500;
    static final int MOST_LINES = 10_000;
    private static final int LARGEST_COMMIT = 8 << 20;

    private final Semel semel;
    private final ApiRequest request;
    private final MessageTarget target;
    private final ByteArrayOutputStream answers = new ByteArrayOutputStream();
    private final List<SentMessage> batch = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    private int batchBytes;
    private int number;

    MessageLines(Semel semel, ApiRequest request, String name) {
        this.semel = semel;
        this.request = request;
        this.target = request.settings().target(name);
    }

    void send(HttpServletResponse response) throws IOException {
        try {
            readAndCommit();
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Sending a batch failed (correlation {}): the ledger failed; the client may retry",
                    request.ids().correlation(),
                    e);
            write(rejected(numbers.get(0), AnswerProblems.batchUnavailable(numbers.get(0), number))
                    .with("incomplete", true));
        }
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType(RequestBody.LINES);
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(answers.size());
        answers.writeTo(response.getOutputStream());
    }

    private void readAndCommit() {
        try {
            readAll();
            commit();
        } catch (ApiProblem problem) {
            commit();
            write(rejected(number, problem).with("incomplete", true));
        }
    }

    private void readAll() throws ApiProblem {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int limit = request.settings().largestBody();
        try {
            InputStream in = request.http().getInputStream();
            byte[] chunk = new byte[8 << 10];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                int from = 0;
                for (int i = 0; i < read; i++) {
                    if (chunk[i] == '\n') {
                        line.write(chunk, from, i - from);
                        from = i + 1;
                        take(line, limit);
                    }
                }
                line.write(chunk, from, read - from);
                demandFits(line, limit);
            }
        } catch (IOException e) {
            number++;
            throw new ApiProblem(
                    ApiCode.BODY_INCOMPLETE,
                    "The connection failed before the whole body had arrived. Line " + number
                            + " and those behind it were not sent; the lines before have their answers.");
        }
        take(line, limit);
    }

    private void demandFits(ByteArrayOutputStream line, int limit) throws ApiProblem {
        if (line.size() > limit) {
            number++;
            throw new ApiProblem(
                    ApiCode.TOO_LARGE,
                    "Line " + number + " is larger than " + limit
                            + " bytes. It and the lines behind it were not sent.");
        }
    }

    /** One line; an empty one is left out. */
    private void take(ByteArrayOutputStream line, int limit) throws ApiProblem {
        demandFits(line, limit);
        byte[] bytes = line.toByteArray();
        line.reset();
        if (new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).isBlank()) {
            return;
        }
        number++;
        if (number > MOST_LINES) {
            throw new ApiProblem(
                    ApiCode.TOO_LARGE,
                    "A request has at most " + MOST_LINES + " lines. Line " + number
                            + " and those behind it were not sent.");
        }
        try {
            JsonBody body = StrictJson.object(bytes);
            String correlationId = body.text("correlation_id");
            SentMessage message = SentMessage.read(
                    body, request, correlationId == null ? request.ids().correlation() : correlationId);
            body.demandNoOther();
            batch.add(message);
            numbers.add(number);
            batchBytes += bytes.length;
        } catch (ApiProblem problem) {
            commit();
            answer(number, problem);
        } catch (SemelException.Invalid e) {
            commit();
            answer(number, AnswerProblems.rejected(e));
        }
        if (batch.size() >= COMMIT || batchBytes >= LARGEST_COMMIT) {
            commit();
        }
    }

    /** Sends what was read since the last commit. */
    private void commit() {
        if (batch.isEmpty()) {
            return;
        }
        List<Sent> sent =
                target.sendAll(semel, batch.stream().map(SentMessage::message).toList());
        for (int i = 0; i < sent.size(); i++) {
            try {
                write(batch.get(i).accepted(target, sent.get(i)).with("line", numbers.get(i)));
            } catch (ApiProblem problem) {
                answer(numbers.get(i), problem);
            }
        }
        batch.clear();
        numbers.clear();
        batchBytes = 0;
    }

    private void answer(int line, ApiProblem problem) {
        write(rejected(line, problem));
    }

    private static ApiAnswer rejected(int line, ApiProblem problem) {
        return ApiAnswer.ok("rejected")
                .with("code", problem.code().code())
                .with("detail", problem.detail())
                .with("line", line);
    }

    private void write(ApiAnswer answer) {
        answers.writeBytes(answer.bytes());
        answers.write('\n');
    }
}
