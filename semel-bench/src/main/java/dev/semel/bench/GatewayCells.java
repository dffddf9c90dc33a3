package dev.semel.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One path of the API: called directly; through the gateway without a key, which passes the same client and leaves the ledger out;
 * through the gateway under a new key; and replayed.
 */
final class GatewayCells {
    private static final int CREATED = 201;
    private static final int EACH = 16;

    /** Counters of two callers do not share a line of the processor's cache. */
    private static final int LINE = 32;

    private static final String AUTHORIZATION = "Authorization: Bearer " + IngressYaml.TOKEN + "\r\n";
    private static final String BODY = "{\"item\":\"book\",\"amount\":42}";

    private final ConnectionSet direct;
    private final ConnectionSet gateway;
    private final byte[] toApi;
    private final byte[] withoutKey;
    private final HttpForm form;
    private final byte[][] known;
    private final byte[][] answers;
    private final int[] places;
    private final AtomicLong effects;

    /** Where requests go: to the API itself, and to the gateway in front of it. */
    record Ways(ConnectionSet direct, ConnectionSet gateway) {}

    /**
     * @param path of the API
     * @param effects counts the requests that must have reached the API
     */
    GatewayCells(Ways ways, String path, AtomicLong effects) {
        this.direct = ways.direct;
        this.gateway = ways.gateway;
        this.toApi = plain("/api" + path, "");
        this.withoutKey = plain("/gateway" + path, AUTHORIZATION);
        this.form = new HttpForm("/gateway" + path, AUTHORIZATION, BODY);
        this.known = new byte[gateway.size() * EACH][];
        this.answers = new byte[gateway.size() * EACH][];
        this.places = new int[gateway.size() * LINE];
        this.effects = effects;
    }

    private static byte[] plain(String path, String headers) {
        return ("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + headers
                        + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY)
                .getBytes(StandardCharsets.US_ASCII);
    }

    Cell direct(String name) {
        return Cell.of(name, direct.size(), caller -> {
            effects.incrementAndGet();
            direct.send(caller, toApi, CREATED);
        });
    }

    Cell withoutKey(String name) {
        return Cell.of(name, gateway.size(), caller -> {
            effects.incrementAndGet();
            gateway.send(caller, withoutKey, CREATED);
        });
    }

    Cell first(String name) {
        return Cell.of(name, gateway.size(), caller -> first(caller, form.under(Work.key())));
    }

    Cell replay(String name) {
        return Cell.of(name, gateway.size(), this::replay).preparedBy(any -> known());
    }

    private byte[] first(int caller, byte[] request) throws IOException {
        effects.incrementAndGet();
        HttpConnection.Reply reply = gateway.send(caller, request, CREATED);
        if (reply.replayed()) {
            throw gateway.wrong("a request under a new key should not be answered as a replay", reply);
        }
        return reply.body();
    }

    private void replay(int caller) throws IOException {
        int place = caller * EACH + (places[caller * LINE]++ & EACH - 1);
        HttpConnection.Reply reply = gateway.send(caller, known[place], CREATED);
        if (!reply.replayed() || !Arrays.equals(reply.body(), answers[place])) {
            throw gateway.wrong("a request that is sent again should be answered as it was first, as a replay", reply);
        }
    }

    private void known() throws IOException {
        for (int i = 0; i < known.length && known[i] == null; i++) {
            byte[] request = form.under(Work.key());
            answers[i] = first(i / EACH, request);
            known[i] = request;
        }
    }
}
