package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.IntStream;

/** One kept connection to a server for each caller. */
final class ConnectionSet implements AutoCloseable {
    private final String server;
    private final HttpConnection[] connections;

    ConnectionSet(HttpServer server, int callers) {
        this.server = server.name();
        this.connections = IntStream.range(0, callers)
                .mapToObj(any -> new HttpConnection(server.port()))
                .toArray(HttpConnection[]::new);
    }

    int size() {
        return connections.length;
    }

    /** Sends a request, and demands this status of the answer. */
    HttpConnection.Reply send(int caller, byte[] request, int status) throws IOException {
        HttpConnection.Reply reply = connections[caller].send(request);
        if (reply.status() != status) {
            throw wrong("the status should be " + status, reply);
        }
        return reply;
    }

    HttpBench.Wrong wrong(String should, HttpConnection.Reply reply) {
        return new HttpBench.Wrong(server + ": " + should + ". It was answered " + reply.text());
    }

    @Override
    public void close() {
        try {
            for (HttpConnection connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
