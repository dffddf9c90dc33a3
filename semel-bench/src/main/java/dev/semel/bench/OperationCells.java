package dev.semel.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** A begin and its finish through the HTTP API, as a client in another language sends them. */
final class OperationCells {
    static final String OPERATION = "charge";

    private static final int OK = 200;
    private static final String BEGIN = "/api/v1/operations/" + OPERATION + "/begin";
    private static final String FINISH = "/api/v1/operations/" + OPERATION + "/finish";
    private static final byte[] RECORDED = "{\"outcome\":\"recorded\"}".getBytes(StandardCharsets.US_ASCII);

    private final ConnectionSet server;
    private final ConnectionSet bare;
    private final AtomicLong finished = new AtomicLong();

    /** @param bare the Jetty that is sent the same requests and does nothing */
    OperationCells(ConnectionSet server, ConnectionSet bare) {
        this.server = server;
        this.bare = bare;
    }

    /** One call is a pair. */
    Cell pairs(String name) {
        return Cell.of(name, server.size(), this::pair);
    }

    Cell barePairs(String name) {
        byte[] begin = post("/begin", begin(Work.key()));
        byte[] finish = post("/finish", finish("0".repeat(64), "4611686018427387906"));
        return Cell.of(name, bare.size(), caller -> {
            bare.send(caller, begin, OK);
            bare.send(caller, finish, OK);
        });
    }

    private void pair(int caller) throws IOException {
        HttpConnection.Reply granted = server.send(caller, post(BEGIN, begin(Work.key())), OK);
        String text = new String(granted.body(), StandardCharsets.US_ASCII);
        if (!text.startsWith("{\"outcome\":\"granted\"")) {
            throw server.wrong("a begin under a new key should be granted", granted);
        }
        HttpConnection.Reply ended =
                server.send(caller, post(FINISH, finish(field(text, "record"), field(text, "fence"))), OK);
        if (!Arrays.equals(ended.body(), RECORDED)) {
            throw server.wrong("a finish should be recorded", ended);
        }
        finished.incrementAndGet();
    }

    private static String begin(String key) {
        return "{\"key\":\"" + key + "\",\"payload\":{\"order\":17,\"amount\":12,\"currency\":\"EUR\"}}";
    }

    private static String finish(String record, String fence) {
        return "{\"record\":\"" + record + "\",\"fence\":\"" + fence + "\",\"result\":{\"receipt\":\"r-1\"}}";
    }

    /** Of an answer whose texts have no escapes. */
    private static String field(String json, String name) {
        int from = json.indexOf("\"" + name + "\":\"") + name.length() + 4;
        return json.substring(from, json.indexOf('"', from));
    }

    private static byte[] post(String path, String body) {
        return ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                        + "Authorization: Bearer " + IngressYaml.TOKEN + "\r\nContent-Length: " + body.length()
                        + "\r\n\r\n"
                        + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** How many runs were finished. */
    long finished() {
        return finished.get();
    }
}
